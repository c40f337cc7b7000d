import { create, insertMultiple, search } from '@orama/orama';
import MiniSearch from 'minisearch';
import { idOf, textOf, vectorOf, wordsOf, type Corpus, type DrawnQuery } from './recall-corpus.ts';

/** Another library over the same corpus: the ids of the 10 best. */
export interface Peer {
  readonly name: string;
  readonly builtMs: number;
  ask(query: DrawnQuery): Promise<readonly string[]>;
}

export async function miniSearch(corpus: Corpus): Promise<Peer> {
  const began = performance.now();
  const index = new MiniSearch({ fields: ['text'] });
  for (let node = 0; node < corpus.size; node += 1) {
    index.add({ id: idOf(node), text: textOf(wordsOf(corpus, node)) });
  }
  return {
    name: 'MiniSearch OR',
    builtMs: performance.now() - began,
    async ask({ words }) {
      const found = index.search(textOf(words), { combineWith: 'OR' });
      return found.slice(0, 10).map(({ id }) => String(id));
    },
  };
}

export async function oramaHybrid(corpus: Corpus): Promise<Peer> {
  const began = performance.now();
  const database = create({ schema: { text: 'string', embedding: 'vector[100]' } });
  const unit = (node: number) => {
    const { values, scale } = vectorOf(corpus, node);
    return Array.from(values, (each) => each * scale);
  };
  const documents = Array.from({ length: corpus.size }, (_, node) => ({
    id: idOf(node),
    text: textOf(wordsOf(corpus, node)),
    embedding: unit(node),
  }));
  await insertMultiple(database, documents, 1000);
  return {
    name: 'Orama hybrid',
    builtMs: performance.now() - began,
    async ask({ words, vector: { values, scale } }) {
      const value = Array.from(values, (each) => each * scale);
      const { hits } = await search(database, {
        mode: 'hybrid',
        term: textOf(words),
        vector: { value, property: 'embedding' },
        similarity: 0,
        limit: 10,
      });
      return hits.map(({ id }) => id);
    },
  };
}
