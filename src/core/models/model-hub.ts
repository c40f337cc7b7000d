import type { HubSource } from './hub-address.ts';
import type { HubListing } from './listing.ts';

/** A hub that models are downloaded from. Each throws ModelFileError; the signal's reason. */
export interface ModelHub {
  /** Every file of a repository. */
  listing(source: HubSource, signal?: AbortSignal): Promise<HubListing>;
  /** The text of a small file. */
  text(source: HubSource, path: string, signal?: AbortSignal): Promise<string>;
}
