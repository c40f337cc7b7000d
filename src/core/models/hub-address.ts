import { accept, refuse, type Refusal, type Result } from '../result.ts';
import type { ModelEntry } from './model-entry.ts';

export type HubSource = NonNullable<ModelEntry['source']>;

/** Where `owner/name` alone is looked for. */
const HUB = 'https://huggingface.co';
const ADDRESS =
  /^(?<host>https?:\/\/[\w.-]+(?::\d+)?)\/(?<owner>\w[\w.-]*)\/(?<name>\w[\w.-]*)(?:\/(?:tree|blob|resolve)\/(?<revision>[\w.%-]+)(?:\/[^?#]*)?)?\/?(?:[?#].*)?$/iu;
const SHORT = /^\w[\w.-]*\/\w[\w.-]*$/u;
const ADVICE =
  'Give https://host/owner/name, with /tree/<revision> after it where it is not to be “main”, or owner/name for huggingface.co.';

/** The repository that an address names, as people copy it from a hub's page or write it. */
export function sourceOfAddress(text: string): Result<HubSource, Refusal<'no-hub-address'>> {
  const given = text.trim();
  const found = ADDRESS.exec(SHORT.test(given) ? `${HUB}/${given}` : given)?.groups;
  const revision = decoded(found?.['revision'] ?? 'main');
  if (found === undefined || revision === null) {
    return refuse('no-hub-address', `“${given}” names no model on a hub. ${ADVICE}`);
  }
  const { host = '', owner = '', name = '' } = found;
  return accept({ host: host.toLowerCase(), repository: `${owner}/${name}`, revision });
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
