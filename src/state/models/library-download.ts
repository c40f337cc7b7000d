import { byteSize } from '../../core/models/byte-size.ts';
import { completed } from '../../core/models/listing.ts';
import type { ModelEntry } from '../../core/models/model-entry.ts';
import type { ModelHub } from '../../core/models/model-hub.ts';
import { ModelFileError } from '../../core/models/model-store.ts';
import type { GivenFile } from './model-standing.ts';

/** The origins that a model's files come from. */
export function hostsOf({ source, files }: ModelEntry): readonly string[] {
  const urls = files.flatMap(({ url }) => url ?? []);
  const all = source === null ? urls : [source.host, ...urls];
  return [...new Set(all.map((url) => new URL(url).origin))];
}

/**
 * A model with what its hub says of its files; where the list cannot be read, as it is, with a note that
 * says so. Throws ModelFileError where it cannot be whole; the signal's reason.
 */
export async function completedByHub(
  entry: ModelEntry,
  hub: ModelHub,
  signal: AbortSignal,
): Promise<{ readonly entry: ModelEntry; readonly note: string | null }> {
  const { source, files } = entry;
  const isKnown = files.every(({ bytes, sha256 }) => bytes !== null && sha256 !== null);
  if (source === null || (isKnown && !lacksWeights(entry))) return { entry, note: null };
  try {
    const whole = completed(entry, await hub.listing(source, signal));
    if (whole.ok) return { entry: whole.value, note: null };
    throw new ModelFileError('missing', whole.refusal.message);
  } catch (error) {
    if (!(error instanceof ModelFileError) || error.code === 'missing') throw error;
    if (lacksWeights(entry)) {
      const message = `${error.message} Which files its weights are in is written there only, so nothing was downloaded.`;
      throw new ModelFileError(error.code, message, { cause: error });
    }
    const note = `The list of its files at ${new URL(source.host).host} could not be read: sizes and hashes that Grove does not know itself are not compared.`;
    return { entry, note };
  }
}

/** Which files they are in is known to the hub only. */
function lacksWeights({ runtime, files }: ModelEntry): boolean {
  return runtime === 'web-llm' && !files.some(({ path }) => path.startsWith('params_shard_'));
}

/** Bytes that the browser has too little room for; null: enough, or not known. */
export function shortOf(needed: number, freeBytes: number | null): number | null {
  return freeBytes === null || needed <= freeBytes ? null : needed - freeBytes;
}

/** What is said before a download for which there seems to be too little room. */
export function shortSentence({ name }: ModelEntry, needed: number, short: number): string {
  return `${name} needs ${byteSize(needed)} more, and the browser gives Grove ${byteSize(needed - short)}: about ${byteSize(short)} are missing. Remove another model or make room on this disk; or download it all the same, and what fits will come.`;
}

/** Of given files, those a damaged model needs, by its own paths: loose files are known by their names. */
export function givenFor(
  paths: readonly string[],
  given: readonly GivenFile[],
): ReadonlyMap<string, Blob> {
  const found = new Map<string, Blob>();
  for (const path of paths) {
    const file =
      given.find((one) => one.path === path) ?? given.find((one) => path.endsWith(`/${one.path}`));
    if (file !== undefined) found.set(path, file.file);
  }
  return found;
}
