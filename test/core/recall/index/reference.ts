import {
  NO_FILTER,
  RECALL_SETTINGS,
  type IndexFields,
  type NodeChange,
  type PutNode,
  type QuantisedVector,
  type RecallCandidate,
  type RecallFilter,
  type RecallQuery,
} from '../../../../src/core/recall/index/recall-types.ts';

/** Words between blanks. */
export const BLANKS = {
  id: 'blanks',
  tokenize: (text: string) => text.split(' ').filter((word) => word !== ''),
};

/** Lists of words as the fields of a node. */
export function fieldsOf(anchor: string, topic = '', scope = ''): IndexFields {
  return { topic, scope, anchor };
}

/** The nodes there are after these changes, or were as of a step. */
export function nodesOf(
  changes: readonly NodeChange[],
  asOfStep: number | null = null,
): readonly PutNode[] {
  const nodes = new Map<string, PutNode>();
  for (const change of changes) {
    if (asOfStep !== null && change.step > asOfStep) continue;
    if (change.type === 'put') nodes.set(change.id, change);
    else nodes.delete(change.id);
  }
  return [...nodes.values()];
}

interface Ranked {
  readonly node: PutNode;
  readonly score: number;
}

/** Recall as it is written down, over every node, without an index. */
export function referenceQuery(
  changes: readonly NodeChange[],
  query: RecallQuery,
): readonly RecallCandidate[] {
  const there = nodesOf(changes, query.filter.asOfStep);
  const wanted = there.filter((node) => passes(node, query.filter));
  const depth = Math.max(query.limit, RECALL_SETTINGS.depth);
  const words =
    query.mode === 'encoder' ? [] : best(bm25(there, wanted, query.text)).slice(0, depth);
  const { vector } = query;
  const vectors =
    query.mode === 'bm25' || vector === null ? [] : best(cosines(wanted, vector)).slice(0, depth);
  const place = (side: readonly Ranked[], id: string) =>
    side.findIndex(({ node }) => node.id === id);
  const asked = [...new Set(BLANKS.tokenize(query.text))];
  const found = wanted.map((node): RecallCandidate => {
    const byWords = place(words, node.id);
    const byVector = place(vectors, node.id);
    const share = (at: number) => (at < 0 ? 0 : 1 / (RECALL_SETTINGS.fusion + at + 1));
    const own = new Set(wordsOf(node).keys());
    const scores = {
      encoder: vectors[byVector]?.score ?? 0,
      bm25: words[byWords]?.score ?? 0,
      fused: share(byVector) + share(byWords),
    };
    return {
      nodeId: node.id,
      rank: 1,
      score: scores[query.mode],
      vectorRank: byVector < 0 ? null : byVector + 1,
      similarity: vectors[byVector]?.score ?? null,
      bm25Rank: byWords < 0 ? null : byWords + 1,
      bm25Score: words[byWords]?.score ?? null,
      matchedWords: asked.filter((word) => own.has(word)),
    };
  });
  return found
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.nodeId < other.nodeId ? -1 : 1))
    .slice(0, query.limit)
    .map((candidate, at) => ({ ...candidate, rank: at + 1 }));
}

function best(ranked: readonly Ranked[]): readonly Ranked[] {
  return ranked
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || (one.node.id < other.node.id ? -1 : 1));
}

const weighed = new WeakMap<PutNode, ReadonlyMap<string, number>>();

/** A node's words, each as often as its fields weigh, 255 at most. */
function wordsOf(node: PutNode): ReadonlyMap<string, number> {
  const known = weighed.get(node);
  if (known !== undefined) return known;
  const counts = new Map<string, number>();
  for (const field of ['topic', 'scope', 'anchor'] as const) {
    for (const word of BLANKS.tokenize(node.fields[field])) {
      const count = (counts.get(word) ?? 0) + RECALL_SETTINGS.weights[field];
      counts.set(word, Math.min(255, count));
    }
  }
  weighed.set(node, counts);
  return counts;
}

function lengthOf({ fields: { topic, scope, anchor } }: PutNode): number {
  const { weights } = RECALL_SETTINGS;
  const of = (text: string) => BLANKS.tokenize(text).length;
  return weights.topic * of(topic) + weights.scope * of(scope) + weights.anchor * of(anchor);
}

function bm25(there: readonly PutNode[], wanted: readonly PutNode[], text: string): Ranked[] {
  const { k1, b } = RECALL_SETTINGS;
  const total = there.reduce((sum, node) => sum + lengthOf(node), 0);
  const average = Math.max(1, total / Math.max(1, there.length));
  const held = new Set(there.flatMap((node) => [...wordsOf(node).keys()]));
  const known = [...new Set(BLANKS.tokenize(text))].filter((word) => held.has(word));
  const query = known.map((word) => {
    const holding = there.filter((node) => wordsOf(node).has(word)).length;
    return { word, weight: Math.log(1 + (there.length - holding + 0.5) / (holding + 0.5)) };
  });
  return wanted.map((node) => {
    const norm = k1 * (1 - b) + ((k1 * b) / average) * lengthOf(node);
    const score = query.reduce((sum, { word, weight }) => {
      const count = wordsOf(node).get(word) ?? 0;
      // Scores are counted in parts of 2⁻²⁸.
      return sum + Math.round(((weight * (k1 + 1) * count) / (count + norm)) * 2 ** 28) / 2 ** 28;
    }, 0);
    return { node, score };
  });
}

function cosines(wanted: readonly PutNode[], query: QuantisedVector): Ranked[] {
  return wanted.map((node) => {
    const own = node.vector;
    const dot = own?.values.reduce((sum, each, at) => sum + each * (query.values[at] ?? 0), 0) ?? 0;
    return { node, score: dot * Math.fround(own?.scale ?? 0) * query.scale };
  });
}

function passes(node: PutNode, { trustedOnly, ranks, sources }: RecallFilter): boolean {
  return (
    (!trustedOnly || node.isTrusted) &&
    (ranks === null || ranks.includes(node.rank)) &&
    (sources === null || sources.includes(node.source))
  );
}

/** A query for every node as it is now. */
export function queryOf(text: string, rest: Partial<RecallQuery> = {}): RecallQuery {
  return { text, vector: null, mode: 'fused', filter: NO_FILTER, limit: 10, ...rest };
}
