import { hashJson, type Hash } from '../../canonical.ts';
import { accept, refuse, type Refusal, type Result } from '../../result.ts';
import { applyOperation } from '../apply.ts';
import {
  GENESIS_HASH,
  type Actor,
  type BankManifest,
  type LogEntry,
  type Operation,
} from '../operation.ts';
import { headOf, lastStep, makeEntries, replay, verifyChain } from '../log.ts';
import type { Tree } from '../tree.ts';
import { cutMarks } from './cut-marks.ts';
import { loggedImages } from './log-lessons.ts';
import { projectionOf } from './projection.ts';
import { rewriteLog } from './rewrite-log.ts';
import { whatGoes, type ErasureTarget, type WhatGoes } from './what-goes.ts';

/** Why a bank erases nothing. */
export type ErasureRefusal = Refusal<'frozen' | 'broken-chain' | 'broken-log'>;

/** What an erasure takes out of one bank's log. Counts are of the log as it was. */
export interface ErasureReport {
  /** Ids of the lessons that go, with all their revisions; ascending. */
  readonly lessons: readonly string[];
  /** Their content hashes, ascending: by these other banks are told to hold the same. */
  readonly contents: readonly Hash[];
  /** Groups that held nothing else. */
  readonly groups: number;
  /** Evidence items cut out of lessons that stay. */
  readonly evidence: number;
  /** Entries that are `erased` now. */
  readonly entriesErased: number;
  /** Entries that say less now. */
  readonly entriesRewritten: number;
  /** Entries among the erased that did more than what went, and could not be said without it. */
  readonly entriesLost: number;
  /** Summaries that stood and stand no more. */
  readonly summaries: number;
  /** Crops and sources that the log names no more; ascending. */
  readonly images: readonly Hash[];
  /** The first entry that changes; null where none does. What was exported before it holds none of it. */
  readonly firstSeq: number | null;
}

/** An erasure that was worked out and not yet done. */
export interface PlannedErasure {
  /** The whole new log; the very one that was given where nothing goes. */
  readonly log: readonly LogEntry[];
  readonly tree: Tree;
  readonly report: ErasureReport;
}

/**
 * Erases lessons or tasks from a bank's log (DESIGN.md §3): entries keep their number, step, time and
 * author, and lose what was erased; the chain is sealed again from the first that changed, and ends in
 * one `erase` that names the lessons and the entries. The new log replays and keeps every invariant.
 * SPEC.md numbers what is promised. Nothing to erase gives the same log.
 */
export function planErasure(
  bank: { readonly manifest: BankManifest; readonly log: readonly LogEntry[] },
  target: ErasureTarget,
  { by, at, reason }: { readonly by: Actor; readonly at: string; readonly reason: string },
): Result<PlannedErasure, ErasureRefusal> {
  const { manifest, log } = bank;
  // Sealing a chain that is broken would hide that it was.
  const broken = verifyChain(log);
  if (broken !== null) return refuse('broken-chain', `Nothing was erased: ${broken.message}.`);
  const replayed = replay(manifest, log);
  if (!replayed.ok) {
    return refuse('broken-log', `Nothing was erased: ${replayed.refusal.message}.`);
  }
  const tree = replayed.value;
  const goes = whatGoes(manifest, log, target);
  const rewritten = rewriteLog(manifest, log, { goes, projection: projectionOf(goes) });
  if (rewritten.changed.length === 0) {
    return accept({ log, tree, report: reportOf({ goes, before: log, after: log, lost: 0 }) });
  }
  if (tree.frozen) {
    const message = `“${manifest.name}” is frozen. Unfreeze it to erase from it.`;
    return refuse('frozen', message);
  }
  const sealed = seal(log, rewritten.operations);
  const tombstone: Operation = {
    type: 'erase',
    lessons: [...goes.lessons].sort(),
    entries: [...rewritten.changed],
    reason: goes.words.reason(reason),
    ...marksOf(log, goes),
  };
  const last = sealed.at(-1);
  const applied = applyOperation(rewritten.tree, tombstone, by);
  if (last === undefined || !applied.ok) throw new Error('a tombstone changes nothing');
  const step = lastStep(sealed) + 1;
  const after = [
    ...sealed,
    ...makeEntries(headOf(last), [{ operation: tombstone, by }], { step, at }),
  ];
  const report = reportOf({ goes, before: log, after, lost: rewritten.lost });
  const summaries = Math.max(0, summariesOf(tree) - summariesOf(applied.value.tree));
  return accept({ log: after, tree: applied.value.tree, report: { ...report, summaries } });
}

/** The entries with new operations, each carrying the hash of the one before; what is the same stays. */
function seal(log: readonly LogEntry[], operations: readonly Operation[]): readonly LogEntry[] {
  let prev: Hash = GENESIS_HASH;
  return log.map((entry, index) => {
    const operation = operations[index] ?? entry.operation;
    if (operation !== entry.operation || prev !== entry.prev) {
      const { seq, step, at, by } = entry;
      const body = { seq, prev, step, at, by, operation };
      prev = hashJson(body);
      return { ...body, hash: prev };
    }
    prev = entry.hash;
    return entry;
  });
}

function reportOf({
  goes,
  before,
  after,
  lost,
}: {
  readonly goes: WhatGoes;
  readonly before: readonly LogEntry[];
  readonly after: readonly LogEntry[];
  readonly lost: number;
}): ErasureReport {
  const changed = before.filter(({ operation }, index) => after[index]?.operation !== operation);
  const erased = changed.filter(({ seq }) => after[seq - 1]?.operation.type === 'erased');
  const named = loggedImages(after);
  return {
    lessons: [...goes.lessons].sort(),
    contents: [...goes.contents].sort(),
    groups: goes.groups.size,
    evidence: goes.evidence,
    entriesErased: erased.length,
    entriesRewritten: changed.length - erased.length,
    entriesLost: lost,
    summaries: 0,
    images: [...loggedImages(before)].filter((hash) => !named.has(hash)).sort(),
    firstSeq: changed[0]?.seq ?? null,
  };
}

function summariesOf(tree: Tree): number {
  let count = 0;
  for (const [, node] of tree.nodes.entries()) {
    if (node.kind === 'group' && node.summary !== null) count += 1;
  }
  return count;
}

/** What the tombstone keeps so that a merge brings nothing back. */
function marksOf(
  log: readonly LogEntry[],
  { tasks, reworded }: WhatGoes,
): { readonly cut?: string[]; readonly reworded?: string[] } {
  const cut = cutMarks(log, tasks);
  return {
    ...(cut.length === 0 ? {} : { cut: [...cut] }),
    ...(reworded.length === 0 ? {} : { reworded: [...reworded] }),
  };
}
