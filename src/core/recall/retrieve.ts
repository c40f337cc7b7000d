import { getLesson, getNode, titleOf, type Tree } from '../bank/tree.ts';
import { rankOf, standingOf } from '../bank/rank.ts';
import type { Node } from '../bank/node.ts';
import { hashJson } from '../canonical.ts';
import type { Retrieve } from '../evolve/run-ports.ts';
import type { CandidateView, Organizer } from '../organize/organizer.ts';
import type { LogHead } from '../ports.ts';
import type { RetrievalRecord } from '../run.ts';
import { BM25_SETTINGS, makeBm25, type Bm25Index } from './bm25.ts';
import { groupText, indexText, lessonText, queryText } from './index-text.ts';
import { tokenize } from './tokenize.ts';

/** A bank's tree as it stands, and the head of the log it came from. */
export interface LoadedBank {
  readonly tree: Tree;
  readonly head: LogHead;
}

export interface RetrievePorts {
  loadBank(bankId: string): Promise<LoadedBank>;
  readonly organizer: Organizer;
}

const KEPT_REASON =
  'This bank is kept on this device, and a model of this run is not on it: nothing is given to it.';
/** How many candidates the organizer sees. */
const CANDIDATES = 8;

/**
 * Retrieval (DESIGN.md §4, EpiCon 4.3) by BM25: candidates are rules and active, trusted lessons; the
 * organizer selects by text. A bank that may not leave this device gives nothing, and shows the
 * organizer nothing, where a model of the run is elsewhere. Every retrieval leaves its candidates, scores, choice, reason and settings.
 */
export function makeRetrieve({ loadBank, organizer }: RetrievePorts): Retrieve {
  return async function* retrieve({ task, bankId, retrievalId, config, isRemote }, caller) {
    const { tree, head } = await loadBank(bankId);
    const query = queryText(task);
    const { localOnly } = tree.manifest;
    const isKept = localOnly && isRemote;
    const hits = isKept ? [] : recallIndex(tree).search(tokenize(query), CANDIDATES);
    const candidates = hits.flatMap(({ id, score, matchedWords }): CandidateView[] => {
      const node = getNode(tree, id);
      if (node === undefined) return [];
      const { support, failures } = standingOf(tree, id);
      return [
        {
          nodeId: id,
          kind: node.kind === 'lesson' ? 'lesson' : 'rule',
          title: titleOf(node),
          score,
          matchedWords: [...matchedWords],
          text: textOf(node),
          appliesWhen: appliesWhenOf(node),
          hasCrop: node.kind === 'lesson' && node.content.crop !== null,
          support,
          failures,
        },
      ];
    });
    const selection =
      candidates.length === 0
        ? { nodeIds: [], reason: isKept ? KEPT_REASON : emptyReason(tree) }
        : yield* organizer.select({ task, candidates }, caller);
    // An organizer may be a model: only what it was shown can be chosen, and each once.
    const chosen = candidates
      .filter(({ nodeId }) => selection.nodeIds.includes(nodeId))
      .flatMap(({ nodeId }) => chosenOf(tree, nodeId));
    const record: RetrievalRecord = {
      id: retrievalId,
      bankId,
      head: head.hash,
      query,
      mode: 'bm25',
      candidates: candidates.map(({ nodeId, kind, title, score, matchedWords }) => ({
        nodeId,
        kind,
        title,
        score,
        matchedWords,
      })),
      chosen,
      reason: selection.reason,
      inject: false,
      injectReason: '',
      textOnly: true,
      fingerprint: hashJson({
        mode: 'bm25',
        candidates: CANDIDATES,
        ...BM25_SETTINGS,
        organizer: organizer.id,
        organizerSettings: organizer.settings ?? {},
        controller: config.controller,
        head: head.hash,
      }),
      ...(localOnly && !isKept ? { localOnly } : {}),
    };
    return record;
  };
}

const indexes = new WeakMap<Tree, Bm25Index>();

/** The index over what can be selected; one per tree, made when first asked for. */
function recallIndex(tree: Tree): Bm25Index {
  const known = indexes.get(tree);
  if (known !== undefined) return known;
  const documents = [...tree.nodes.entries()]
    .filter(([id, node]) => isSelectable(tree, id, node))
    .map(([id, node]) => ({ id, words: tokenize(indexText(node)) }));
  const made = makeBm25(documents);
  indexes.set(tree, made);
  return made;
}

/** Active, trusted lessons, and rules that rest on trusted lessons alone: nothing held is handed out. */
function isSelectable(tree: Tree, id: string, node: Node): boolean {
  if (node.kind === 'lesson') return node.status === 'active' && node.trust === 'trusted';
  return (
    rankOf(tree, id) === 'rule' &&
    (node.summary?.supportedBy ?? []).every(
      (lesson) => getLesson(tree, lesson)?.trust === 'trusted',
    )
  );
}

function emptyReason(tree: Tree): string {
  return tree.index.activeLessons === 0
    ? 'The bank holds no lesson yet.'
    : 'No lesson shares a word with this question.';
}

function textOf(node: Node): string {
  return node.kind === 'lesson' ? lessonText(node.content) : groupText(node);
}

function appliesWhenOf(node: Node): string {
  return node.kind === 'lesson' ? node.content.appliesWhen : (node.summary?.conditions ?? '');
}

/** What a chosen node gives: its text, and a lesson's own crop. */
function chosenOf(tree: Tree, nodeId: string): RetrievalRecord['chosen'] {
  const node = getNode(tree, nodeId);
  if (node === undefined) return [];
  const crop = node.kind === 'lesson' ? node.content.crop : null;
  return [{ nodeId, title: titleOf(node), text: textOf(node), crop }];
}
