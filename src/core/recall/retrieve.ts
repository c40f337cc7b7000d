import { getNode, titleOf, type Tree } from '../bank/tree.ts';
import { standingOf } from '../bank/rank.ts';
import type { Node } from '../bank/node.ts';
import { hashJson } from '../canonical.ts';
import type { Retrieve } from '../evolve/run-ports.ts';
import type { CandidateView, Organizer } from '../organize/organizer.ts';
import type { RetrievalRecord, RunConfig } from '../run.ts';
import { groupText, lessonText, queryText } from './index-text.ts';
import { NO_FILTER, type RecallCandidate, type RecallFilter } from './index/recall-types.ts';
import type { BankRecall } from './recalled-bank.ts';

export interface RetrievePorts {
  readonly recall: Pick<BankRecall, 'at'>;
  /** Who selects, by what the run was set up with. */
  organizer(config: RunConfig): Organizer | Promise<Organizer>;
}

const KEPT_REASON =
  'This bank is kept on this device, and a model of this run is not on it: nothing is given to it.';
/** How many candidates the organizer sees. */
const CANDIDATES = 8;
/** Rules and lessons, and rules that rest on trusted lessons alone: nothing held is handed out. */
export const GIVEN: RecallFilter = { ...NO_FILTER, trustedOnly: true, ranks: ['lesson', 'rule'] };

/**
 * Retrieval (DESIGN.md §4, EpiCon 4.3): candidates are rules and active, trusted lessons, by the run's
 * mode of recall; the organizer selects by text. A bank that may not leave this device gives nothing,
 * and shows the organizer nothing, where a model of the run is elsewhere. Every retrieval leaves its
 * candidates with why they were found, choice, reason and settings.
 */
export function makeRetrieve(ports: RetrievePorts): Retrieve {
  return async function* retrieve({ task, bankId, retrievalId, config, isRemote }, caller) {
    const organizer = await ports.organizer(config);
    const bank = await ports.recall.at(bankId);
    const { tree, head, making } = bank;
    const text = queryText(task);
    const { localOnly } = tree.manifest;
    const isKept = localOnly && isRemote;
    const mode = config.recallMode;
    const found = isKept ? [] : await bank.find({ text, mode, filter: GIVEN, limit: CANDIDATES });
    const candidates = found.flatMap((candidate) => viewOf(tree, candidate));
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
      query: text,
      mode,
      encoder: making.encoder,
      candidates: candidates.map(({ nodeId, kind, title, score, matchedWords, found: why }) => ({
        ...{ nodeId, kind, title, score, matchedWords },
        ...(why === undefined ? {} : { found: why }),
      })),
      chosen,
      reason: selection.reason,
      inject: false,
      injectReason: '',
      textOnly: organizer.seesImages !== true || task.images.length === 0,
      fingerprint: hashJson({
        mode,
        candidates: CANDIDATES,
        recall: making,
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

/** A candidate as an organizer sees it; nothing where the tree has no such node. */
function viewOf(tree: Tree, candidate: RecallCandidate): readonly CandidateView[] {
  const { nodeId, score, matchedWords, vectorRank, similarity, bm25Rank, bm25Score } = candidate;
  const node = getNode(tree, nodeId);
  if (node === undefined) return [];
  const { support, failures } = standingOf(tree, nodeId);
  return [
    {
      ...{ nodeId, score, matchedWords, support, failures },
      kind: node.kind === 'lesson' ? 'lesson' : 'rule',
      title: titleOf(node),
      found: { vectorRank, similarity, bm25Rank, bm25Score },
      text: textOf(node),
      appliesWhen: appliesWhenOf(node),
      hasCrop: node.kind === 'lesson' && node.content.crop !== null,
    },
  ];
}

function emptyReason(tree: Tree): string {
  return tree.index.activeLessons === 0
    ? 'The bank holds no lesson yet.'
    : 'Nothing in the bank is like this question.';
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
