import { create, insertMultiple, search } from '@orama/orama';
import MiniSearch from 'minisearch';
import type { Ranking } from '../../core/recall/ranking-quality.ts';

/** Texts, each with the vector of Grove's own encoder, so that what differs is the ranking. */
export interface EncodedText {
  readonly text: string;
  readonly vector: Float32Array;
}

/** The five texts that another library finds first for each of `queries`, which are texts themselves. */
export type PeerRanking = (
  texts: readonly EncodedText[],
  queries: readonly number[],
) => Promise<readonly Ranking[]>;

export const QUESTION_PEERS: Readonly<Record<string, PeerRanking>> = {
  'MiniSearch OR': async (texts, queries) => {
    const index = new MiniSearch({ fields: ['text'] });
    index.addAll(texts.map(({ text }, id) => ({ id, text })));
    return queries.map((query) => {
      const found = index.search(texts[query]?.text ?? '', { combineWith: 'OR' });
      return firstFive(
        found.map(({ id }) => Number(id)),
        query,
      );
    });
  },
  'Orama hybrid': async (texts, queries) => {
    const database = create({ schema: { text: 'string', embedding: 'vector[100]' } });
    const documents = texts.map(({ text, vector }, id) => ({
      id: String(id),
      text,
      embedding: [...vector],
    }));
    await insertMultiple(database, documents, 1000);
    const rankings: Ranking[] = [];
    for (const query of queries) {
      const { text = '', vector = [] } = texts[query] ?? {};
      const { hits } = await search(database, {
        mode: 'hybrid',
        term: text,
        vector: { value: [...vector], property: 'embedding' },
        similarity: 0,
        limit: 6,
      });
      rankings.push(
        firstFive(
          hits.map(({ id }) => Number(id)),
          query,
        ),
      );
    }
    return rankings;
  },
};

function firstFive(found: readonly number[], query: number): Ranking {
  return found.filter((at) => at !== query).slice(0, 5);
}
