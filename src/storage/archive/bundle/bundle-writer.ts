import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { BundleWriter } from '../../../core/transfer/bundle/write-bundle.ts';
import { zipWriter, type ZipWriterOptions } from '../zip/zip-writer.ts';
import type { ByteSink } from './byte-sink.ts';

/** A bundle's entries into a zip, and on into `sink`. Every time in it is the same, so the bytes depend on the entries alone. */
export function bundleWriter(
  sink: ByteSink,
  options: Pick<ZipWriterOptions, 'zip64'> = {},
): BundleWriter & { finish(): Promise<void> } {
  const waiting: (Uint8Array<ArrayBuffer> | Blob)[] = [];
  const zip = zipWriter((part) => waiting.push(part), options);
  const drain = async () => {
    for (const part of waiting.splice(0)) await sink.write(part);
  };
  return {
    async writeLines(path, batches) {
      const entry = zip.pack(path);
      for await (const lines of batches) {
        for (const line of lines) entry.push(utf8ToBytes(`${line}\n`));
      }
      entry.end();
      await drain();
    },
    async writeText(path, text) {
      const entry = zip.pack(path);
      entry.push(utf8ToBytes(text));
      entry.end();
      await drain();
    },
    async writeBytes(path, bytes) {
      zip.store(path, bytes);
      await drain();
    },
    async finish() {
      zip.finish();
      await drain();
      await sink.close();
    },
  };
}
