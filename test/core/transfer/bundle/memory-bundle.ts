import type { LogEntry } from '../../../../src/core/bank/operation.ts';
import type { Hash } from '../../../../src/core/canonical.ts';
import { readBundle } from '../../../../src/core/transfer/bundle/read-bundle.ts';
import {
  writeBundle,
  type WriteOptions,
} from '../../../../src/core/transfer/bundle/write-bundle.ts';
import { openBundleFile } from '../../../../src/storage/archive/bundle/bundle-files.ts';
import { bundleWriter } from '../../../../src/storage/archive/bundle/bundle-writer.ts';
import { memorySink } from '../../../../src/storage/archive/bundle/byte-sink.ts';
import { sealedSink } from '../../../../src/storage/archive/bundle/sealed-file.ts';
import { newSealedKey } from '../../../../src/storage/archive/bundle/sealed-key.ts';
import type { BundleBank } from './bundle-bank.ts';

export interface MemoryOptions extends WriteOptions {
  readonly passphrase?: string;
  /** How many entries come at a time. */
  readonly batch?: number;
  readonly zip64?: 'needed' | 'always';
}

/** A bank written as a bundle, in memory. */
export async function exported(bank: BundleBank, options: MemoryOptions = {}) {
  const { passphrase, batch = 7, zip64 = 'needed', ...rest } = options;
  const { sink, file } = memorySink('application/octet-stream');
  const through =
    passphrase === undefined ? sink : await sealedSink(sink, await newSealedKey(passphrase));
  const writer = bundleWriter(through, { zip64 });
  const source = {
    manifest: bank.manifest,
    head: bank.head,
    async *entries() {
      for (let at = 0; at < bank.entries.length; at += batch) {
        yield bank.entries.slice(at, at + batch);
      }
    },
    images: async (hashes: readonly Hash[]) => hashes.map((hash) => bank.images.get(hash)),
  };
  const written = await writeBundle(source, writer, rest);
  await writer.finish();
  return { ...written, file: await file() };
}

/** A bundle read into memory: the bank it holds. Throws what reading throws. */
export async function imported(file: Blob, passphrase?: string): Promise<BundleBank> {
  const entries: LogEntry[] = [];
  const images = new Map<Hash, Uint8Array<ArrayBuffer>>();
  const { manifest } = await readBundle(await openBundleFile(file, passphrase), {
    takeEntries: async (taken) => void entries.push(...taken),
    takeImage: async ({ hash, bytes }) => void images.set(hash, bytes),
  });
  return { manifest: manifest.bank, head: manifest.head, entries, images };
}

export async function bytesOf(file: Blob): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await file.arrayBuffer());
}
