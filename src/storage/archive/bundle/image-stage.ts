import type { BundleTarget } from '../../../core/transfer/bundle/read-bundle.ts';
import type { Database } from '../../database.ts';
import type { BlobRow } from '../../rows.ts';
import type { WriteBehind } from './write-behind.ts';

/** Bytes of images that are staged in one write. */
const BATCH_BYTES = 4 << 20;

/** Keeps checked images apart from all others until the whole bundle has been checked. */
export function imageStage(
  database: Database,
  stagingId: string,
  writes: WriteBehind,
): Pick<BundleTarget, 'takeImage'> & { end(): Promise<void> } {
  let batch: BlobRow[] = [];
  let bytes = 0;
  let index = 0;
  const write = async () => {
    const row = { restoreId: stagingId, index, table: 'blobs', rows: batch };
    await writes.begin(async () => {
      await database.write('keep an image', [database.staged], () => database.staged.add(row));
    });
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

/** Puts the staged images that are not stored yet in place. Runs inside a write transaction over staged and blobs. */
export async function moveImages(database: Database, stagingId: string): Promise<void> {
  for (let index = 0; ; index += 1) {
    const row = await database.staged.get([stagingId, index]);
    if (row === undefined) return;
    const images = row.rows.filter(isBlobRow);
    const present = await database.blobs
      .where('hash')
      .anyOf(images.map(({ hash }) => hash))
      .primaryKeys();
    const stored = new Set(present);
    // A crop may be a source, too: the same bytes twice are one image.
    await database.blobs.bulkPut(images.filter(({ hash }) => !stored.has(hash)));
    await database.staged.delete([stagingId, index]);
  }
}

/** What this import staged itself. */
function isBlobRow(row: unknown): row is BlobRow {
  return typeof row === 'object' && row !== null && 'hash' in row && 'bytes' in row;
}
