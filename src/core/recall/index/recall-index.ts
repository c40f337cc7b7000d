import { refuse, accept, type Refusal, type Result } from '../../result.ts';
import { rowFilterOf } from './filter-bits.ts';
import { fuse, type FusedRow } from './fuse.ts';
import { indexWords } from './index-words.ts';
import { RowStore } from './row-store.ts';
import { COUNT_BITS } from './segment.ts';
import type { RecallKernel } from './kernel.ts';
import {
  isSameEncoder,
  NODE_RANKS,
  type EncoderId,
  type NodeChange,
  type PutNode,
  type QuantisedVector,
  type RecallCandidate,
  type RecallQuery,
  type RecallSettings,
  type Tokenizer,
} from './recall-types.ts';
import { VectorIndex } from './vector-index.ts';
import { WordSearch } from './word-search.ts';

export interface RecallIndexOptions {
  readonly tokenizer: Tokenizer;
  readonly settings: RecallSettings;
  /** null: words alone. */
  readonly encoder: EncoderId | null;
  /** Fresh memory, and the loops over it. */
  readonly kernel: RecallKernel;
}

export type RecallRefusal = Refusal<'other-encoder'>;

/**
 * What can be recalled of a bank, exactly (DESIGN.md §4): words by BM25 over weighted fields, vectors by
 * cosine, both fused by rank. Nodes are added, changed and removed one by one, and every answer is what
 * an index built afresh from the same nodes would give. Steps never go back.
 */
export class RecallIndex {
  readonly options: RecallIndexOptions;
  readonly store: RowStore;
  readonly vectors: VectorIndex | null;
  readonly #search: WordSearch;
  /** Source names by number. */
  readonly #sources = new Map<string, number>();

  constructor(options: RecallIndexOptions) {
    const { encoder, settings, kernel } = options;
    this.options = options;
    this.store = new RowStore(settings, kernel);
    this.vectors = encoder === null ? null : new VectorIndex(encoder, this.store);
    this.#search = new WordSearch(this.store);
  }

  /** How many nodes there are now. */
  get size(): number {
    return this.store.totals.rows;
  }

  get sources(): readonly string[] {
    return [...this.#sources.keys()];
  }

  /**
   * Takes one change in. Throws `RangeError` for a vector of another dimension than the encoder's, and
   * past 16.7 million words or 65,536 sources.
   */
  apply(change: NodeChange): void {
    if (change.type === 'remove') this.store.remove(change.id, change.step);
    else this.#put(change);
  }

  /** The best candidates, best first; refuses a vector of another encoder. */
  query(query: RecallQuery): Result<readonly RecallCandidate[], RecallRefusal> {
    const { vector, mode, limit } = query;
    const { settings, tokenizer } = this.options;
    const encoder = this.options.encoder;
    const isComparable =
      vector === null ||
      (encoder !== null &&
        isSameEncoder(vector.encoder, encoder) &&
        vector.values.length === encoder.dimension);
    if (!isComparable) {
      return refuse(
        'other-encoder',
        'The question was encoded otherwise than this bank.',
        'vector',
      );
    }
    const filter = rowFilterOf(query.filter, this.#sources);
    const words = [...new Set(tokenizer.tokenize(query.text))];
    const depth = Math.max(limit, settings.depth);
    const sides = {
      words: mode === 'encoder' ? [] : this.#search.search(words, filter, depth),
      vectors: mode === 'bm25' || vector === null ? [] : this.#similar(vector, { filter, depth }),
    };
    const { isBefore, dictionary } = this.store;
    const fused = fuse(sides, { mode, limit, constant: settings.fusion, isBefore });
    const numbers = words.map((word) => dictionary.find(word));
    return accept(fused.map((found, at) => this.#explain(found, at + 1, { words, numbers })));
  }

  /** Names a source's number; a new one where it has none. */
  sourceNumber(source: string): number {
    const known = this.#sources.get(source);
    if (known !== undefined) return known;
    const number = this.#sources.size;
    if (number > 0xffff) throw new RangeError('a recall index holds 65,536 sources at most');
    this.#sources.set(source, number);
    return number;
  }

  #similar(
    vector: QuantisedVector,
    { filter, depth }: { readonly filter: ReturnType<typeof rowFilterOf>; readonly depth: number },
  ) {
    return this.vectors?.search(vector, filter, depth) ?? [];
  }

  #put({ id, step, fields, isTrusted, rank, source, vector }: PutNode): void {
    if (vector !== null && vector.values.length !== this.options.encoder?.dimension) {
      throw new RangeError(`a vector of ${vector.values.length} is none of this index`);
    }
    const row = this.store.put(id, {
      ...indexWords(fields, this.store.dictionary, this.options),
      born: step,
      marks: (NODE_RANKS.indexOf(rank) << 1) | Number(isTrusted),
      source: this.sourceNumber(source),
    });
    if (vector !== null) this.vectors?.set(row, vector);
  }

  #explain(
    { row, score, vector, words }: FusedRow,
    rank: number,
    query: { readonly words: readonly string[]; readonly numbers: readonly number[] },
  ): RecallCandidate {
    const entries = this.store.entriesOf(row);
    return {
      nodeId: this.store.idOf(row),
      rank,
      score,
      vectorRank: vector?.rank ?? null,
      similarity: vector?.score ?? null,
      bm25Rank: words?.rank ?? null,
      bm25Score: words?.score ?? null,
      matchedWords: query.words.filter((_, at) => holds(entries, query.numbers[at] ?? -1)),
    };
  }
}

/** Whether a row's entries, which ascend, have the word. */
function holds(entries: Uint32Array, word: number): boolean {
  let low = 0;
  let high = entries.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const held = (entries[middle] ?? 0) >>> COUNT_BITS;
    if (held === word) return true;
    if (held < word) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
