import { isLanguageEntry, type LanguageEntry } from '../../core/models/model-entry.ts';
import type { LibraryModel } from './model-standing.ts';

/** What the library of models has, for those who only want to know which can be used. */
export interface LibraryList {
  readonly models: readonly LibraryModel[];
}

/** The language models on this device, once they were looked for. */
export class LocalModels {
  /** The browser's own, where it has one. */
  own: LanguageEntry | null = $state.raw(null);
  #library: LibraryList | null = $state.raw(null);

  readonly held: readonly LanguageEntry[] = $derived([
    ...(this.#library?.models ?? []).flatMap(({ held }) =>
      held !== null && isLanguageEntry(held.entry) ? [held.entry] : [],
    ),
    ...(this.own === null ? [] : [this.own]),
  ]);

  listTo(library: LibraryList): void {
    this.#library = library;
  }
}
