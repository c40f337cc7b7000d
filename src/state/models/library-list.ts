/** Where each model stands, from what lies on this device and what is being done. */
import type { ModelEntry } from '../../core/models/model-entry.ts';
import type {
  DamagedModel,
  FileProgress,
  HeldModel,
  ModelSources,
  ModelStore,
  PartialModel,
} from '../../core/models/model-store.ts';
import {
  bytesPerSecond,
  withSample,
  type TransferSample,
} from '../../core/models/transfer-rate.ts';
import type { BringKind, LibraryModel, Standing } from './model-standing.ts';

/** What lies on this device, by id. */
export interface HereNow {
  readonly held: ReadonlyMap<string, HeldModel>;
  readonly damaged: ReadonlyMap<string, DamagedModel>;
  readonly partial: ReadonlyMap<string, PartialModel>;
}

/** Work on a model's files that runs or waits. */
export interface Job {
  readonly kind: BringKind | 'check';
  readonly sources: ModelSources<Blob>;
  readonly abort: AbortController;
  readonly over: Promise<void>;
  /** Once its hub is asked, with all files. */
  entry: ModelEntry;
  standing: Standing;
  samples: readonly TransferSample[];
}

/** What a person stopped for now. */
export interface Paused {
  readonly kind: BringKind;
  readonly entry: ModelEntry;
  readonly sources: ModelSources<Blob>;
}

/** What this visit knows of a model beside its files. */
export interface Memo {
  readonly problem: string | null;
  readonly note: string | null;
  readonly roomShortBytes: number | null;
  readonly paused: Paused | null;
}

export const NO_MEMO: Memo = { problem: null, note: null, roomShortBytes: null, paused: null };
export const NOTHING_HERE: HereNow = { held: new Map(), damaged: new Map(), partial: new Map() };

/** Looks at what lies on this device. */
export async function hereNow(models: ModelStore<Blob>): Promise<HereNow> {
  const [held, damaged, partial] = await Promise.all([
    models.list(),
    models.damaged(),
    models.partial(),
  ]);
  return {
    held: new Map(held.map((model) => [model.entry.id, model])),
    damaged: new Map(damaged.map((one) => [one.model.entry.id, one])),
    partial: new Map(partial.map((model) => [model.entry.id, model])),
  };
}

/** Registered models in the registry's order, then added ones by name; without those that have no files. */
export function listModels(
  registry: readonly ModelEntry[],
  here: HereNow,
  visit: { readonly jobs: ReadonlyMap<string, Job>; readonly memos: ReadonlyMap<string, Memo> },
): readonly LibraryModel[] {
  const registered = new Map(
    registry.flatMap((entry) => (entry.files.length > 0 ? [[entry.id, entry] as const] : [])),
  );
  const added = [
    ...visit.jobs.keys(),
    ...Object.values(here).flatMap((models) => [...models.keys()]),
  ];
  const models = [...new Set([...registered.keys(), ...added])].flatMap((id) => {
    const memo = visit.memos.get(id) ?? NO_MEMO;
    const job = visit.jobs.get(id);
    const known = entryHere(id, here) ?? registered.get(id);
    const entry = job?.entry ?? memo.paused?.entry ?? known;
    if (entry === undefined) return [];
    const { problem, note, roomShortBytes } = memo;
    const standing = job?.standing ?? standingOf(entry, here, memo.paused);
    const held = here.held.get(id) ?? null;
    const isRegistered = registered.has(id);
    return [{ entry, isRegistered, standing, held, problem, note, roomShortBytes }];
  });
  const others = models.filter(({ isRegistered }) => !isRegistered);
  return [
    ...models.filter(({ isRegistered }) => isRegistered),
    ...others.sort((first, second) => (first.entry.name < second.entry.name ? -1 : 1)),
  ];
}

function entryHere(id: string, { held, damaged, partial }: HereNow): ModelEntry | undefined {
  return partial.get(id)?.entry ?? held.get(id)?.entry ?? damaged.get(id)?.model.entry;
}

function standingOf(entry: ModelEntry, here: HereNow, paused: Paused | null): Standing {
  const { id } = entry;
  const partial = here.partial.get(id);
  const came = { bytes: partial?.bytes ?? 0, ...sizeOf(entry, partial?.bytes ?? 0) };
  if (paused !== null) return { type: 'paused', kind: paused.kind, ...came };
  if (partial !== undefined && (partial.bytes > 0 || partial.isBusy)) {
    return { type: 'partial', ...came, from: partial.from, isElsewhere: partial.isBusy };
  }
  const damaged = here.damaged.get(id);
  if (damaged !== undefined) {
    const { model, damaged: files } = damaged;
    const bytes = bytesOf(model);
    return { type: 'damaged', files, bytes, canDownload: model.entry.source !== null };
  }
  const held = here.held.get(id);
  if (held === undefined) return { type: 'absent' };
  const { files, checkedAt, addedAt } = held;
  return { type: 'held', bytes: bytesOf(held), files: files.length, checkedAt, addedAt };
}

/** How many bytes a model has, as far as they are known. */
export function sizeOf({ files, approximateBytes }: ModelEntry, came: number) {
  const isExact = files.every(({ bytes }) => bytes !== null);
  const known = files.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  return { of: isExact ? known : Math.max(known, approximateBytes, came), isExact };
}

/** Of a model on this device. */
export function bytesOf({ files }: Pick<HeldModel, 'files'>): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Of everything on this device. */
export function bytesHere({ held, damaged, partial }: HereNow): number {
  const whole = [...held.values(), ...[...damaged.values()].map(({ model }) => model)];
  const begun = [...partial.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  return whole.reduce((sum, model) => sum + bytesOf(model), begun);
}

/** A job whose turn has come, before any file does. */
export function startedStanding({ kind, entry }: Job, came: number): Standing {
  const size = sizeOf(entry, came);
  if (kind === 'check') return { type: 'checking', path: '', bytes: 0, of: size.of };
  const pace = { bytesPerSecond: null, secondsLeft: null };
  const none = { file: 0, files: entry.files.length, path: '', bytes: came };
  return { type: 'bringing', kind, ...none, ...size, ...pace };
}

/** A job and how far it is. */
export function advance(job: Job, progress: FileProgress, nowMs: number): void {
  const { path, file, files, bytes, came, of, isExact } = progress;
  if (job.kind === 'check') {
    job.standing = { type: 'checking', path, bytes, of };
    return;
  }
  job.samples = withSample(job.samples, { atMs: nowMs, bytes: came });
  const rate = bytesPerSecond(job.samples);
  const secondsLeft = rate === null || rate <= 0 || !isExact ? null : (of - bytes) / rate;
  const counts = { file, files, path, bytes, of, isExact, secondsLeft };
  job.standing = { type: 'bringing', kind: job.kind, ...counts, bytesPerSecond: rate };
}
