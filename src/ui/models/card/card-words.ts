import { deviceOf, type DeviceFacts } from '../../../core/models/device-facts.ts';
import {
  isLanguageEntry,
  type Device,
  type LanguageEntry,
  type ModelEntry,
} from '../../../core/models/model-entry.ts';
import type { RackState } from '../../../core/models/model-rack.ts';
import type { LibraryModel } from '../../../state/models/model-standing.ts';
import { bytes, count, day, plural } from '../../parts/format.ts';

export const DEVICE_WORDS: Readonly<Record<Device, string>> = {
  webgpu: 'WebGPU',
  wasm: 'processor',
  browser: 'browser',
};
const RUNTIME_WORDS = {
  transformers: 'transformers.js',
  'web-llm': 'WebLLM',
  browser: 'Prompt API',
} as const;

/** "transformers.js · WebGPU · q4f16": with what it runs, and where it does here. */
export function makeWords(
  entry: ModelEntry,
  facts: DeviceFacts | null,
  loaded: RackState | undefined,
): string {
  const runtime = RUNTIME_WORDS[entry.runtime];
  if (!isLanguageEntry(entry)) return `${runtime} · ${DEVICE_WORDS.wasm} · ${entry.dtype}`;
  const here = facts === null ? null : deviceOf(entry, facts);
  const device = loaded?.type === 'ready' ? loaded.device : here;
  if (device === null) return runtime;
  const slowly = device === 'wasm' ? `${DEVICE_WORDS.wasm}, slow here` : DEVICE_WORDS[device];
  const dtype = entry.dtype[device];
  const weights = typeof dtype === 'object' ? [...new Set(Object.values(dtype))].join('/') : dtype;
  return [
    runtime,
    slowly,
    ...(weights === undefined || weights === 'compiled' ? [] : [weights]),
  ].join(' · ');
}

/** "sees images, prompts up to 2,560 tokens · licence Apache-2.0 · notes": what a person chooses by. */
export function factWords(entry: ModelEntry): string {
  const { licence, notes } = entry;
  const what = isLanguageEntry(entry)
    ? languageWords(entry)
    : `${count(entry.encoder.dimension)} dimensions, texts up to ${count(entry.encoder.context)} tokens`;
  return [what, `licence ${licence}`, notes].filter((part) => part !== '').join(' · ');
}

function languageWords({ language, memoryBytes }: LanguageEntry): string {
  const eyes = language.images === null ? 'text only' : 'sees images';
  const memory = memoryBytes === 0 ? '' : `, about ${bytes(memoryBytes)} of memory`;
  return `${eyes}, prompts up to ${count(language.promptBudget)} tokens${memory}`;
}

/** The line over the meter: what is here in bold, what belongs to it, and what is to say on the right. */
export interface BytesLine {
  readonly strong: string;
  readonly rest: string;
  readonly right: string;
  /** From 0 to 1. */
  readonly share: number;
}

/** A model's bytes as they stand. */
export function bytesLine({ standing, entry }: LibraryModel): BytesLine {
  switch (standing.type) {
    case 'absent':
      return {
        strong: '',
        rest: `not here, about ${bytes(entry.approximateBytes)} to fetch`,
        right: hostOf(entry) === null ? '' : `from ${hostOf(entry)}`,
        share: 0,
      };
    case 'partial':
      return {
        ...ofAll(standing),
        rest: ' came',
        right: standing.isElsewhere
          ? 'another tab brings it in'
          : standing.from === 'download'
            ? 'goes on from here'
            : 'add its folder again to go on',
      };
    case 'paused':
      return {
        ...ofAll(standing),
        rest: ', paused',
        right: 'goes on from here, after a reload too',
      };
    case 'waiting':
      return {
        strong: '',
        rest: `waits for its turn to be ${WAITING_WORDS[standing.for]}`,
        right: '',
        share: 0,
      };
    case 'bringing':
      return {
        ...ofAll(standing),
        rest:
          standing.file === 0
            ? ', asking what files there are'
            : `, file ${standing.file} of ${standing.files}`,
        right: pace(standing.bytesPerSecond, standing.secondsLeft),
      };
    case 'checking':
      return {
        ...ofAll({ ...standing, isExact: true }),
        rest: ' read again and hashed',
        right: '',
      };
    case 'damaged': {
      const { files } = standing;
      return {
        strong: bytes(standing.bytes),
        rest: '',
        right: `${plural(files.length, 'file')} ${files.length === 1 ? 'is' : 'are'} not what was published`,
        share: 1,
      };
    }
    case 'held':
      if (entry.runtime === 'browser') {
        return { strong: '', rest: 'the browser keeps its files', right: '', share: 1 };
      }
      return {
        strong: bytes(standing.bytes),
        rest: `, ${plural(standing.files, 'file')}${
          standing.checkedAt === null ? '' : `, hashes right on ${day(standing.checkedAt)}`
        }`,
        right: `since ${day(standing.addedAt)}`,
        share: 1,
      };
  }
}

const WAITING_WORDS = {
  download: 'downloaded',
  folder: 'copied',
  repair: 'repaired',
  check: 'checked',
} as const;

/** Bytes that a repair fetches; 0 where that is not known. */
export function bytesOfDamaged({ standing, entry, held }: LibraryModel): number {
  if (standing.type !== 'damaged') return 0;
  const sizes = new Map(
    [...(held?.files ?? []), ...entry.files].map(({ path, bytes: size }) => [path, size]),
  );
  return standing.files.reduce((sum, { path }) => sum + (sizes.get(path) ?? 0), 0);
}

/** What is wrong with a damaged file. */
export const DAMAGE_WORDS = {
  size: 'has another size',
  hash: 'has another SHA-256',
  gone: 'is gone',
} as const;

/** The host a model comes from; null where it came from a folder. */
export function hostOf({ source }: ModelEntry): string | null {
  return source === null ? null : new URL(source.host).host;
}

function ofAll(standing: {
  readonly bytes: number;
  readonly of: number;
  readonly isExact: boolean;
}) {
  const { bytes: here, of, isExact } = standing;
  return {
    strong: `${isExact ? '' : 'about '}${partOf(here, of)}`,
    share: of === 0 ? 0 : Math.min(1, here / of),
  };
}

/** "1.21 of 1.87 GB": in one unit, so that both can be compared. */
function partOf(part: number, whole: number): string {
  const [unit, size, digits]: readonly [string, number, number] =
    whole >= 1e9 ? ['GB', 1e9, 2] : whole >= 1e6 ? ['MB', 1e6, 0] : ['kB', 1e3, 0];
  return `${(part / size).toFixed(digits)} of ${(whole / size).toFixed(digits)} ${unit}`;
}

function pace(bytesPerSecond: number | null, secondsLeft: number | null): string {
  if (bytesPerSecond === null) return '';
  const left = secondsLeft === null ? '' : `, ${timeLeft(secondsLeft)} left`;
  return `${bytes(bytesPerSecond)}/s${left}`;
}

function timeLeft(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
