import { writeBundle } from '../../../src/core/transfer/bundle/write-bundle.ts';
import { bundleWriter } from '../../../src/storage/archive/bundle/bundle-writer.ts';
import { memorySink } from '../../../src/storage/archive/bundle/byte-sink.ts';
import { largeBank, type LargeBankSize } from './large-bank.ts';

/** Entries handed to the writer at a time. */
const BATCH = 512;

/** Downloads a large bank as a bundle from the page this runs in; gives its name, id and size. */
export async function downloadBundle(
  size: LargeBankSize,
): Promise<{ readonly bankId: string; readonly name: string; readonly bytes: number }> {
  const { manifest, head, entries, crops } = largeBank(size);
  const { sink, file } = memorySink('application/zip');
  const writer = bundleWriter(sink);
  const source = {
    manifest,
    head,
    async *entries() {
      for (let at = 0; at < entries.length; at += BATCH) yield entries.slice(at, at + BATCH);
    },
    images: async (hashes: readonly string[]) => hashes.map((hash) => crops.get(hash)),
  };
  const { leftOut } = await writeBundle(source, writer);
  if (leftOut.length > 0) throw new Error(`${leftOut.length} crops stayed out`);
  await writer.finish();
  const made = await file();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(made);
  link.download = 'bench.grove';
  link.click();
  return { bankId: manifest.id, name: manifest.name, bytes: made.size };
}
