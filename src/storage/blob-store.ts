import { bytesToHex } from '@noble/hashes/utils.js';
import type { Hash } from '../core/canonical.ts';
import { StorageError } from '../core/errors.ts';
import type { BlobStore } from '../core/ports.ts';
import type { Database } from './database.ts';

/** SHA-256 of bytes in lower-case hex, worked out by the browser off the main thread. */
export async function hashOfBytes(bytes: Uint8Array<ArrayBuffer>): Promise<Hash> {
  return bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** Images and crops by the hash of their bytes. The same bytes are stored once, with their first media type. */
export function blobStore(database: Database): BlobStore {
  const { blobs } = database;
  return {
    async put(bytes, mediaType) {
      const hash = await hashOfBytes(bytes);
      // A view is stored with the whole buffer behind it, so a partial one is copied out first.
      const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
      await database.write('keep an image', [blobs], async () => {
        const present = await blobs.where('hash').equals(hash).count();
        if (present > 0) return;
        await blobs.add({ hash, mediaType, byteLength: own.byteLength, bytes: own });
      });
      return hash;
    },
    async get(hash) {
      const row = await database.read('read an image', [blobs], () => blobs.get(hash));
      if (row === undefined) return undefined;
      if (row.bytes.byteLength !== row.byteLength) {
        throw new StorageError('corrupt', `The stored image ${hash.slice(0, 8)}… is damaged.`);
      }
      return { hash: row.hash, mediaType: row.mediaType, bytes: row.bytes };
    },
  };
}
