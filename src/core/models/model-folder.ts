import { refuse, type Refusal } from '../result.ts';

/** What a folder holds: sizes by path below it, and the text of the small files that describe a model. */
export interface ModelFolder {
  readonly name: string;
  readonly sizes: ReadonlyMap<string, number>;
  /** Where it is, for the model's notes: `a folder` unless it says otherwise. */
  readonly origin?: string;
  text(path: string): Promise<string>;
}

export type FolderRefusal = Refusal<'missing-files' | 'not-readable'>;

/** The value a JSON file of the folder holds; null where it is not there or is no JSON. */
export async function jsonIn(folder: ModelFolder, path: string): Promise<unknown> {
  if (!folder.sizes.has(path)) return null;
  try {
    return JSON.parse(await folder.text(path));
  } catch {
    return null;
  }
}

/** Refuses a folder by the files that it lacks. */
export function missingFiles(what: string, paths: readonly string[]) {
  return refuse('missing-files', `This folder is no ${what}: it lacks ${paths.join(', ')}.`);
}

/** A model's id made of its folder's name. */
export function idOf(name: string, otherwise: string): string {
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/gu, '-')
    .replace(/^[^a-z0-9]+/u, '')
    .slice(0, 64);
  return id === '' ? otherwise : id;
}
