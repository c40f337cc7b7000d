import type { HubSource } from '../../core/models/hub-address.ts';
import { hubListingSchema, type HubListing } from '../../core/models/listing.ts';
import type { ModelHub } from '../../core/models/model-hub.ts';
import { ModelFileError } from '../../core/models/model-store.ts';

const PATIENCE_MS = 20_000;
/** Pages of a listing, of a thousand files each. */
const MOST_PAGES = 20;

/** Hubs, asked with these headers so that the gate knows what for. */
export function modelHub(headers: Readonly<Record<string, string>>): ModelHub {
  async function ask(url: string, signal: AbortSignal | undefined): Promise<Response> {
    const { host } = new URL(url);
    const patience = AbortSignal.timeout(PATIENCE_MS);
    let response: Response;
    try {
      response = await fetch(url, {
        headers: { ...headers },
        cache: 'no-store',
        signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
      });
    } catch (cause) {
      signal?.throwIfAborted();
      const message = `${host} was not reached. Look at the connection and try again.`;
      throw new ModelFileError('not-reached', message, { cause });
    }
    if (response.ok) return response;
    throw new ModelFileError(
      'refused',
      `${host} answered ${response.status}: there is no such model, or not for everybody. Look at its page there.`,
    );
  }

  return {
    async listing(source, signal) {
      const { host, repository, revision } = source;
      let next: string | null =
        `${host}/api/models/${repository}/tree/${encodeURIComponent(revision)}?recursive=true`;
      const files: HubListing = [];
      for (let page = 0; next !== null && page < MOST_PAGES; page += 1) {
        const response = await ask(next, signal);
        files.push(...(await listingIn(response, source)));
        next = nextPage(response, next);
      }
      return files;
    },
    async text({ host, repository, revision }, path, signal) {
      const at = `${host}/${repository}/resolve/${encodeURIComponent(revision)}/${path}`;
      return (await ask(at, signal)).text();
    },
  };
}

async function listingIn(response: Response, { host }: HubSource): Promise<HubListing> {
  const value: unknown = await response.json().catch(() => undefined);
  const listing = hubListingSchema.safeParse(value);
  if (listing.success) return listing.data;
  throw new ModelFileError(
    'failed',
    `${new URL(host).host} answered something else than a list of files. Is it a hub of models?`,
  );
}

/** Where the listing goes on, on the same host. */
function nextPage({ headers }: Response, asked: string): string | null {
  const link = /<([^>]+)>;\s*rel="next"/u.exec(headers.get('link') ?? '')?.[1];
  if (link === undefined || !URL.canParse(link, asked)) return null;
  const { href, origin } = new URL(link, asked);
  return origin === new URL(asked).origin ? href : null;
}
