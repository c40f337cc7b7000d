import { Dexie } from 'dexie';
import type { Hash } from '../../../core/canonical.ts';
import type { BundleTarget } from '../../../core/transfer/bundle/read-bundle.ts';
import type { Database } from '../../database.ts';
import { IMPORT_PREFIX, type BlobRow } from '../../rows.ts';
import type { WriteBehind } from './write-behind.ts';

/** Bytes of images that are put in place in one write. */
const BATCH_BYTES = 4 << 20;
/** What the staging table calls notes of images that an import put in place. */
const PLACED = 'placed';

/**
 * Puts checked images in their place as they come, and notes those that were not there: until the bank is
 * held they belong to nobody, and go again where the import does not end.
 */
export function imagePlacer(
  database: Database,
  stagingId: string,
  writes: WriteBehind,
): Pick<BundleTarget, 'takeImage'> & { end(): Promise<void> } {
  const { staged, blobs } = database;
  let batch: BlobRow[] = [];
  let bytes = 0;
  let index = 0;
  const place = async (images: readonly BlobRow[], at: number) => {
    const hashes = images.map(({ hash }) => hash);
    const stored = new Set(await blobs.where('hash').anyOf(hashes).primaryKeys());
    // A crop may be a source, too: the same bytes twice are one image.
    const missing = images.filter(({ hash }) => !stored.has(hash));
    const rows = missing.map(({ hash }) => hash);
    await staged.add({ restoreId: stagingId, index: at, table: PLACED, rows });
    await blobs.bulkPut(missing);
  };
  const write = async () => {
    const [images, at] = [batch, index];
    await writes.begin(() =>
      database.write('keep an image', [staged, blobs], () => place(images, at)),
    );
    index += 1;
    batch = [];
    bytes = 0;
  };
  return {
    async takeImage({ hash, mediaType, bytes: image }) {
      batch.push({ hash, mediaType, byteLength: image.byteLength, bytes: image });
      bytes += image.byteLength;
      if (bytes >= BATCH_BYTES) await write();
    },
    async end() {
      if (batch.length > 0) await write();
      await writes.done();
    },
  };
}

/** Forgets what an import put in place: it stays. Runs inside a write transaction over staged. */
export async function forgetPlaced({ staged }: Database, stagingId: string): Promise<void> {
  await staged
    .where('[restoreId+index]')
    .between([stagingId, Dexie.minKey], [stagingId, Dexie.maxKey])
    .delete();
}

/** Images that imports put in place without coming to an end. Runs inside a read transaction over staged. */
export async function placedImages({ staged }: Database): Promise<ReadonlySet<Hash>> {
  const rows = await staged
    .where('[restoreId+index]')
    .between([IMPORT_PREFIX, Dexie.minKey], [`${IMPORT_PREFIX}\uffff`, Dexie.maxKey])
    .toArray();
  const placed = rows.filter(({ table }) => table === PLACED);
  return new Set(placed.flatMap((row) => row.rows.filter((hash) => typeof hash === 'string')));
}
