import { z } from 'zod';
import type { Json } from '../core/canonical.ts';
import { endpointProfileSchema, type EndpointProfile } from './endpoint-profile.ts';

/** Where profiles and remembered keys are kept. Keys of settings that begin `secret.` are never backed up. */
export interface KeptSettings {
  get(key: string): Promise<Json | undefined>;
  set(key: string, value: Json): Promise<void>;
  remove(key: string): Promise<void>;
}

/** Endpoints a person set up, and their keys. A key is in memory only, unless it was to be remembered. */
export interface EndpointBook {
  list(): Promise<readonly EndpointProfile[]>;
  /** `key`: null leaves the one there is; the empty text removes it. */
  save(profile: EndpointProfile, key: string | null, remember: boolean): Promise<void>;
  remove(id: string): Promise<void>;
  keyPlace(id: string): Promise<'none' | 'page' | 'device'>;
  keyOf(id: string): Promise<string | undefined>;
}

const LIST_KEY = 'endpoints';
const listSchema = z.array(endpointProfileSchema);

export function makeEndpointBook(settings: KeptSettings): EndpointBook {
  const inPage = new Map<string, string>();
  const secretKey = (id: string) => `secret.endpoint.${id}`;

  async function list(): Promise<readonly EndpointProfile[]> {
    const stored = listSchema.safeParse((await settings.get(LIST_KEY)) ?? []);
    return stored.success ? stored.data : [];
  }

  async function storedKey(id: string): Promise<string | undefined> {
    const stored = await settings.get(secretKey(id));
    return typeof stored === 'string' && stored !== '' ? stored : undefined;
  }

  async function keepKey(id: string, key: string, remember: boolean): Promise<void> {
    if (key === '') inPage.delete(id);
    else inPage.set(id, key);
    if (key !== '' && remember) await settings.set(secretKey(id), key);
    else await settings.remove(secretKey(id));
  }

  const keyOf = async (id: string) => inPage.get(id) ?? (await storedKey(id));

  return {
    list,
    keyOf,
    async save(profile, key, remember) {
      const checked = endpointProfileSchema.parse(profile);
      const others = (await list()).filter(({ id }) => id !== checked.id);
      await settings.set(LIST_KEY, [...others, checked]);
      await keepKey(checked.id, key ?? (await keyOf(checked.id)) ?? '', remember);
    },
    async remove(id) {
      await settings.set(
        LIST_KEY,
        (await list()).filter((profile) => profile.id !== id),
      );
      await keepKey(id, '', false);
    },
    async keyPlace(id) {
      if ((await storedKey(id)) !== undefined) return 'device';
      return inPage.has(id) ? 'page' : 'none';
    },
  };
}
