/** The notes beside a model's files: what is whole, what was begun, what was removed. */
import { z } from 'zod';
import { modelEntrySchema, type ModelEntry } from '../../core/models/model-entry.ts';
import type { DamagedFile } from '../../core/models/model-store.ts';
import { TAG } from './file-protocol.ts';
import {
  modelFile,
  modelFolder,
  readJson,
  RECORD,
  removeFrom,
  removeModelFolder,
  writeJson,
} from './model-folder.ts';

/** Written when a model is begun: where its files come to, until all are there. */
const BEGUN = 'begun.json';
/** Holds the record of a model that was removed, until its files go. */
const REMOVED = 'removed';

const recordSchema = z.object({
  entry: modelEntrySchema,
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
  addedAt: z.string(),
  // Members below are not in records of an older Grove, whose files lie beside the record.
  checkedAt: z.string().nullable().default(null),
  in: z.string().default(''),
  damaged: z
    .array(z.object({ path: z.string(), why: z.enum(['size', 'hash', 'gone']) }))
    .default([]),
});
export type ModelRecord = z.infer<typeof recordSchema>;

const begunSchema = z.object({
  entry: modelEntrySchema,
  in: z.string().min(1),
  from: z.enum(['download', 'folder']),
});
export type BegunRecord = z.infer<typeof begunSchema>;

/** The path of a model's file below the model's own folder. */
export function pathIn(place: { readonly in: string }, path: string): string {
  return place.in === '' ? path : `${place.in}/${path}`;
}

export async function readRecord(id: string): Promise<ModelRecord | undefined> {
  const record = recordSchema.safeParse(await readJson(id, RECORD)).data;
  return record?.entry.id === id ? record : undefined;
}

/** Takes the place of the record there was in one step. */
export function writeRecord(record: ModelRecord): Promise<void> {
  return writeJson(record.entry.id, RECORD, record);
}

export async function readBegun(id: string): Promise<BegunRecord | undefined> {
  const begun = begunSchema.safeParse(await readJson(id, BEGUN)).data;
  return begun?.entry.id === id ? begun : undefined;
}

/**
 * Notes what is to come, in the folder of an earlier try where that was from the same place and is to be
 * gone on with.
 */
export async function begin(
  entry: ModelEntry,
  from: BegunRecord['from'],
  resume: boolean,
): Promise<BegunRecord> {
  const earlier = await readBegun(entry.id);
  const goesOn = resume && earlier?.from === from && sameSource(earlier.entry, entry);
  const begun = {
    entry,
    from,
    in: goesOn ? earlier.in : `files-${crypto.randomUUID().slice(0, 8)}`,
  };
  await writeJson(entry.id, BEGUN, begun);
  await removeFrom(entry.id, REMOVED);
  await tidy(entry.id);
  return begun;
}

export async function endBegun(id: string): Promise<void> {
  await removeFrom(id, BEGUN);
  await tidy(id);
}

function sameSource({ source: first }: ModelEntry, { source: second }: ModelEntry): boolean {
  return (
    first?.host === second?.host &&
    first?.repository === second?.repository &&
    first?.revision === second?.revision
  );
}

/** The record becomes one of a model that was removed. */
export async function recordRemoved(record: ModelRecord): Promise<void> {
  await writeJson(record.entry.id, REMOVED, record);
  await removeFrom(record.entry.id, RECORD);
}

export async function unremove(id: string): Promise<ModelRecord | undefined> {
  const record = recordSchema.safeParse(await readJson(id, REMOVED)).data;
  if (record === undefined) return undefined;
  await writeRecord(record);
  await removeFrom(id, REMOVED);
  return record;
}

/** The files of a model that was removed go, for good. */
export async function endRemoved(id: string): Promise<void> {
  await removeFrom(id, REMOVED);
  await tidy(id);
}

/** By the sizes, which is quick; what a check of the hashes found is added. */
export async function damageOf(record: ModelRecord): Promise<readonly DamagedFile[]> {
  const folder = await modelFolder(record.entry.id);
  const found: DamagedFile[] = [];
  for (const { path, bytes } of record.files) {
    const handle = folder && (await modelFile(folder, pathIn(record, path)));
    const noted = record.damaged.find((file) => file.path === path);
    if (handle === undefined) found.push({ path, why: 'gone' });
    else if ((await handle.getFile()).size !== bytes) found.push({ path, why: 'size' });
    else if (noted !== undefined) found.push(noted);
  }
  return found;
}

/** How many bytes of a model came. */
export async function bytesOf({ entry, in: place }: BegunRecord): Promise<number> {
  const folder = await modelFolder(entry.id);
  let bytes = 0;
  for (const { path } of entry.files) {
    const handle = folder && (await modelFile(folder, pathIn({ in: place }, path)));
    bytes += (await handle?.getFile())?.size ?? 0;
  }
  return bytes;
}

/** Removes what neither the model that is here nor the one on its way needs; a folder of nothing too. */
async function tidy(id: string): Promise<void> {
  const folder = await modelFolder(id);
  if (folder === undefined) return;
  const record = await readRecord(id);
  const begun = await readBegun(id);
  const needed = new Set([RECORD, BEGUN, REMOVED]);
  if (begun !== undefined) needed.add(begun.in);
  for (const { path } of record?.files ?? []) {
    needed.add(pathIn(record ?? { in: '' }, path).split('/')[0] ?? '');
  }
  // Where the record of one that was removed is there, its files are to stay.
  if ((await modelFile(folder, REMOVED)) !== undefined) return;
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  for (const name of names) {
    if (!needed.has(name)) await folder.removeEntry(name, { recursive: true });
  }
  if (record === undefined && begun === undefined) {
    await removeModelFolder(id);
    return;
  }
  for (const { path } of record?.files ?? []) {
    await removeFrom(id, pathIn(record ?? { in: '' }, path) + TAG);
  }
}
