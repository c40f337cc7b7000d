/** Makes the entry of a model that a person adds: from a folder, from loose files, from an address. */
import { z } from 'zod';
import { entryOfFolder } from '../../core/models/folder-entry.ts';
import type { HubSource } from '../../core/models/hub-address.ts';
import { completed, type HubListing } from '../../core/models/listing.ts';
import type { ModelEntry } from '../../core/models/model-entry.ts';
import { idOf, type ModelFolder } from '../../core/models/model-folder.ts';
import type { ModelHub } from '../../core/models/model-hub.ts';
import { accept, type Result } from '../../core/result.ts';
import type { GivenFile, LibraryModel } from './model-standing.ts';

const WEIGHTS = /\.onnx(?:_data.*)?$/u;
const configSchema = z.object({ _name_or_path: z.string().min(1) });

/** The model in a folder, with all its files that are there. */
export async function modelInFolder(
  name: string,
  given: readonly GivenFile[],
  registry: readonly ModelEntry[],
): Promise<Result<ModelEntry>> {
  const files = new Map(given.map(({ path, file }) => [path, file]));
  const folder: ModelFolder = {
    name,
    sizes: new Map(given.map(({ path, file }) => [path, file.size])),
    text: async (path) => (await files.get(path)?.text()) ?? '',
  };
  const entry = await entryOfFolder(folder, registry);
  if (!entry.ok) return entry;
  if (entry.value.source === null) {
    // Of the registry's own ids, none is to stand for another model.
    const isTaken = registry.some(({ id }) => id === entry.value.id);
    return isTaken ? accept({ ...entry.value, id: idOf(`added-${name}`, 'added') }) : entry;
  }
  // The registry knows neither every part of the weights nor their sizes.
  return completed(
    entry.value,
    given.map(({ path, file }) => ({ type: 'file', path, size: file.size })),
  );
}

/** Loose files as a folder would have them: weights under `onnx/`. */
export async function asFolder(
  given: readonly GivenFile[],
): Promise<{ readonly name: string; readonly files: readonly GivenFile[] }> {
  const files = given.map(({ path, file }) => ({
    path: !path.includes('/') && WEIGHTS.test(path) ? `onnx/${path}` : path,
    file,
  }));
  const config = files.find(({ path }) => path === 'config.json');
  const text = (await config?.file.text()) ?? '';
  const said = configSchema.safeParse(parseJson(text)).data?._name_or_path.split('/').at(-1);
  return { name: said === undefined || said === '' ? 'added model' : said, files };
}

/**
 * The model in a hub's repository. One of the registry's own repositories is taken as the registry has
 * it. Of the `listed` models, none of another place is to lose its id.
 */
export async function modelAt(
  source: HubSource,
  hub: ModelHub,
  options: {
    readonly registry: readonly ModelEntry[];
    readonly listed: readonly Pick<LibraryModel, 'entry'>[];
  },
): Promise<Result<ModelEntry>> {
  const registered = options.registry.filter((entry) => isOf(entry, source));
  for (const entry of registered) {
    const whole = completed(entry, await hub.listing(entry.source ?? source));
    if (whole.ok) return whole;
  }
  const listing = await hub.listing(source);
  const name = source.repository.split('/').at(-1) ?? source.repository;
  const folder: ModelFolder = {
    name,
    sizes: sizesIn(listing),
    text: (path) => hub.text(source, path),
    origin: `${new URL(source.host).host}/${source.repository}`,
  };
  const entry = await entryOfFolder(folder, []);
  if (!entry.ok) return entry;
  const isTaken = options.listed.some(
    ({ entry: other }) => other.id === entry.value.id && !isOf(other, source),
  );
  const id = isTaken ? idOf(source.repository.replace('/', '-'), 'model') : entry.value.id;
  const hashes = new Map(
    listing.flatMap(({ path, lfs }) => (lfs === undefined ? [] : [[path, lfs.oid]])),
  );
  const files = entry.value.files.map((file) => ({
    ...file,
    sha256: hashes.get(file.path) ?? null,
  }));
  return accept({ ...entry.value, id, source, files });
}

function isOf({ source }: ModelEntry, { host, repository, revision }: HubSource): boolean {
  return (
    source?.host === host &&
    source.repository === repository &&
    (source.revision === revision || revision === 'main')
  );
}

function sizesIn(listing: HubListing): ReadonlyMap<string, number> {
  return new Map(
    listing.flatMap(({ type, path, size, lfs }) =>
      type === 'file' ? [[path, lfs?.size ?? size]] : [],
    ),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
