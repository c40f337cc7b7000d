import { accept, type Result } from '../result.ts';
import { encoderOfFolder } from './encoder-folder.ts';
import { languageOfFolder, looksLikeLanguage } from './language-folder.ts';
import type { ModelEntry } from './model-entry.ts';
import { looksLikeWebLlm, webLlmOfFolder } from './web-llm-folder.ts';
import { missingFiles, type FolderRefusal, type ModelFolder } from './model-folder.ts';

/**
 * The model that a folder holds: one that the registry knows by its repository's name is taken as the
 * registry has it; another is read from its own files. What is missing is named.
 */
export async function entryOfFolder(
  folder: ModelFolder,
  known: readonly ModelEntry[],
): Promise<Result<ModelEntry, FolderRefusal>> {
  // A repository may hold several: what is there decides.
  const [registered] = known
    .filter(({ source }) => source?.repository.split('/').at(-1) === folder.name)
    .map((entry) => ({ entry, missing: missingOf(entry, folder) }))
    .sort((first, second) => first.missing.length - second.missing.length);
  if (registered !== undefined) {
    const { entry, missing } = registered;
    return missing.length === 0 ? accept(entry) : missingFiles(entry.name, missing);
  }
  if (looksLikeWebLlm(folder)) return webLlmOfFolder(folder);
  return (await looksLikeLanguage(folder)) ? languageOfFolder(folder) : encoderOfFolder(folder);
}

function missingOf({ files }: ModelEntry, { sizes }: ModelFolder): readonly string[] {
  return files.flatMap(({ path }) => (sizes.has(path) ? [] : [path]));
}
