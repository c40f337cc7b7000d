import { z } from 'zod';
import { checkInvariants } from '../../bank/invariants.ts';
import { EMPTY_LOG, headOf, replay, verifyChain } from '../../bank/log.ts';
import { logEntrySchema, type BankManifest, type LogEntry } from '../../bank/operation.ts';
import { emptyTree, type Tree } from '../../bank/tree.ts';
import { canonicalJson } from '../../canonical.ts';
import type { LogHead } from '../../ports.ts';
import { bundleError, type BundlePlace } from './bundle-error.ts';
import { LOG_PATH, parseJson } from './bundle-format.ts';
import { BUNDLE_LIMITS, checkTexts } from './bundle-limits.ts';
import { lessonsIn, logIndexer, type LogIndex } from './log-index.ts';

/** A log that was checked to its end. */
export interface CheckedLog {
  readonly tree: Tree;
  readonly index: LogIndex;
}

/** Checks a log as it passes by, from its first entry to its head; an entry's number is its line. */
export interface LogChecker {
  /**
   * The next entries, and the lines that say them.
   *
   * @throws BundleError `bad-line`, `too-large`, `broken-chain`, `does-not-replay`.
   */
  takeEntries(entries: readonly LogEntry[]): readonly string[];
  /** The next lines, and the entries they say. Throws as `takeEntries` does. */
  takeLines(lines: readonly string[]): readonly LogEntry[];
  /** The end. Throws BundleError `broken-chain` where it is not the head, `breaks-invariant`. */
  end(head: LogHead): CheckedLog;
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/u;
const HASH = /^[0-9a-f]{64}$/u;

export function logChecker(manifest: BankManifest): LogChecker {
  const indexer = logIndexer();
  let tree = emptyTree(manifest);
  let at = EMPTY_LOG;

  function take(entries: readonly LogEntry[]): void {
    const broken = verifyChain(entries, at);
    if (broken !== null) {
      const place = { entry: LOG_PATH, line: broken.seq };
      throw bundleError('broken-chain', place, { what: `was changed: ${broken.message}` });
    }
    for (const entry of entries) {
      const replayed = replay(manifest, [entry], tree);
      if (!replayed.ok) {
        const what = `holds an operation that its bank refuses: ${replayed.refusal.message}`;
        throw bundleError('does-not-replay', { entry: LOG_PATH, line: entry.seq }, { what });
      }
      tree = replayed.value;
      at = headOf(entry);
      indexer.add(entry);
    }
  }

  return {
    takeEntries(entries) {
      const lines = entries.map((entry, index) => {
        const line = canonicalJson(entry);
        // What is written must be readable, so it passes the same gate.
        parseEntry(line, at.seq + index + 1);
        return line;
      });
      take(entries);
      return lines;
    },
    takeLines(lines) {
      const entries = lines.map((line, index) => parseEntry(line, at.seq + index + 1));
      take(entries);
      return entries;
    },
    end(head) {
      if (at.seq !== head.seq || at.hash !== head.hash) {
        const what = `has a log that ends at entry ${at.seq}, not at the head its manifest names (${head.seq})`;
        throw bundleError('broken-chain', { entry: LOG_PATH }, { what });
      }
      checkTree(tree);
      return { tree, index: indexer.end() };
    },
  };
}

/** Reads one line. It must be the canonical JSON of an entry: no member more, none said twice. */
function parseEntry(line: string, number: number): LogEntry {
  const place: BundlePlace = { entry: LOG_PATH, line: number };
  if (line.length > BUNDLE_LIMITS.lineLength) {
    throw bundleError('too-large', place, { what: `holds a line of ${line.length} characters` });
  }
  const parsed = logEntrySchema.safeParse(parseJson(line));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const what = `holds an entry that does not fit: ${issue?.message ?? 'unknown'}`;
    throw bundleError('bad-line', { ...place, path: pathOf(issue) }, { what, cause: parsed.error });
  }
  const entry = parsed.data;
  checkTexts(entry, place);
  checkForms(entry, place);
  if (canonical(entry) !== line) {
    const what = 'holds a line with members or a form that Grove does not write';
    throw bundleError('bad-line', place, { what });
  }
  return entry;
}

/** Times are times and crops are named by hashes: what is shown and looked up later. */
function checkForms(entry: LogEntry, place: BundlePlace): void {
  if (!ISO_TIME.test(entry.at)) {
    throw bundleError('bad-line', { ...place, path: 'at' }, { what: 'holds a time that is none' });
  }
  for (const { content } of lessonsIn(entry.operation)) {
    const { crop } = content;
    if (crop === null || (HASH.test(crop.hash) && HASH.test(crop.sourceHash))) continue;
    throw bundleError('bad-line', place, { what: 'names an image by something that is no hash' });
  }
}

function checkTree(tree: Tree): void {
  const [violation] = checkInvariants(tree);
  const message = violation?.message ?? circleOf(tree);
  if (message === undefined) return;
  const rule = violation === undefined ? '' : `${violation.rule}: `;
  throw bundleError(
    'breaks-invariant',
    { entry: LOG_PATH },
    { what: `tells of a tree that cannot be (${rule}${message})` },
  );
}

/** A former id that leads back to itself, which would never resolve. */
function circleOf({ aliases }: Tree): string | undefined {
  const done = new Set<string>();
  for (const [start] of aliases.entries()) {
    const open = new Set<string>();
    const stack = [start];
    for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
      const next = (aliases.get(id) ?? []).find((alias) => !done.has(alias));
      open.add(id);
      if (next === undefined) {
        done.add(id);
        open.delete(id);
        stack.pop();
      } else if (open.has(next)) return `${next} resolves to itself`;
      else stack.push(next);
    }
  }
  return undefined;
}

/** Undefined where it holds what JSON cannot say. */
function canonical(value: unknown): string | undefined {
  try {
    return canonicalJson(value);
  } catch {
    return undefined;
  }
}

function pathOf(issue: z.core.$ZodIssue | undefined): string {
  return issue?.path.map(String).join('.') ?? '';
}
