import { EMPTY_LOG, headOf } from '../core/bank/log.ts';
import type { LogEntry } from '../core/bank/operation.ts';
import { emptyTree, type Tree } from '../core/bank/tree.ts';
import type { BankStore, LogHead, RecallStore } from '../core/ports.ts';
import { fieldsText } from '../core/recall/index-text.ts';
import { changedParts } from '../core/recall/index/stored-form.ts';
import type { NodeChange, PutNode } from '../core/recall/index/recall-types.ts';
import { recallChanges, type RecallChange } from '../core/recall/recall-changes.ts';
import {
  RecallError,
  type Recall,
  type RecallEncoder,
  type RecallMaking,
} from '../core/recall/recall-port.ts';
import {
  makingOf,
  type BankRecall,
  type RecalledBank,
  type RecallRun,
} from '../core/recall/recalled-bank.ts';
import type { BankLoader } from './bank-loader.ts';
import { replayOn } from './bank-opening.ts';
import type { KeptBank } from './bank-opening.ts';
import { logPages } from './log-pages.ts';

export interface BankRecallPorts {
  readonly banks: Pick<BankStore, 'readLog'>;
  readonly loader: Pick<BankLoader, 'load'>;
  readonly store: RecallStore;
  readonly recall: Recall;
  /** null: there is none, and words alone decide. */
  readonly encoder: RecallEncoder | null;
  /** How often an index is stored while it takes a long log in; ten seconds where it is not said. */
  readonly keepEveryMs?: number;
}

/** An index, where it stands, and the tree it was fed last. */
interface OpenIndex {
  readonly tree: Tree;
  readonly head: LogHead;
  /** The stored one could not be read, and it was made again. */
  readonly wasDamaged: boolean;
}

/** Recall that can be put away: another encoder's takes its place. */
export interface ClosableRecall extends BankRecall {
  readonly making: RecallMaking;
  /** Stores what is not stored yet, and closes every index. It can be used again. */
  close(): Promise<void>;
}

/** Changes fed at a time where there is no encoder: some milliseconds. */
const BATCH = 512;
/** The index is stored once it is so quiet, in milliseconds; while it takes a long log in, so often. */
const QUIET_MS = 1000;
const KEEP_EVERY_MS = 10_000;

/**
 * Recall over banks as they stand. An index is read where it was stored, made of the log where it was
 * not, and follows the log from there; every step is in it, so that it answers as of any of them.
 */
export function makeBankRecall(ports: BankRecallPorts): ClosableRecall {
  const { recall, loader, banks, store, encoder, keepEveryMs = KEEP_EVERY_MS } = ports;
  const making: RecallMaking = makingOf(encoder?.id ?? null);
  const makingId = JSON.stringify(making);
  const batch = encoder?.batch ?? BATCH;
  /** An index's name: another encoder's of the same bank may be open beside it. */
  const nameOf = (bankId: string) => `${bankId} ${makingId}`;
  const open = new Map<string, OpenIndex>();
  const turns = new Map<string, Promise<unknown>>();
  /** The manifest part of what is stored of a bank, to write only what is new. */
  const stored = new Map<string, Uint8Array>();
  const storing = new Map<string, ReturnType<typeof setTimeout>>();

  /** One at a time for a bank. */
  function inTurn<T>(bankId: string, work: () => Promise<T>): Promise<T> {
    const before = turns.get(bankId) ?? Promise.resolve();
    const next = before.catch(() => undefined).then(work);
    turns.set(bankId, next);
    return next;
  }

  async function upToDate(bankId: string, { tell, signal }: RecallRun) {
    const bank = await loader.load(bankId);
    let index = open.get(bankId) ?? (await openStored(bankId, bank));
    if (index.head.hash !== bank.head.hash) {
      index = (await isOnLog(bankId, index.head)) ? index : await openEmpty(bankId, bank);
      let keptAt = performance.now();
      index = await follow(nameOf(bankId), index, {
        ...{ bankId, head: bank.head, tell, signal },
        async onPage(sofar) {
          if (performance.now() - keptAt < keepEveryMs) return;
          // A tab that is closed in the middle of an hour's encoding goes on from here.
          open.set(bankId, sofar);
          await keep(bankId);
          keptAt = performance.now();
        },
      });
      storeSoon(bankId);
    }
    // The bank's own tree: one is enough to hold.
    if (index.head.hash === bank.head.hash) index = { ...index, tree: bank.tree };
    open.set(bankId, index);
    signal?.throwIfAborted();
    return { bank, wasDamaged: index.wasDamaged };
  }

  async function openStored(bankId: string, bank: KeptBank): Promise<OpenIndex> {
    const parts = await store.readRecall(bankId, makingId);
    if (parts === undefined) return openEmpty(bankId, bank);
    const manifest = parts.get('manifest')?.slice();
    const { head, refusal } = await recall.open(nameOf(bankId), making, parts);
    if (head === null)
      return { ...(await openEmpty(bankId, bank)), wasDamaged: refusal === 'corrupt' };
    if (head.seq > bank.head.seq) return openEmpty(bankId, bank);
    if (manifest !== undefined) stored.set(bankId, manifest);
    if (head.hash === bank.head.hash) return { tree: bank.tree, head, wasDamaged: false };
    if (!(await isOnLog(bankId, head))) return openEmpty(bankId, bank);
    return { tree: await treeAt(bankId, head, bank.tree), head, wasDamaged: false };
  }

  async function openEmpty(bankId: string, { tree }: KeptBank): Promise<OpenIndex> {
    stored.delete(bankId);
    await recall.open(nameOf(bankId), making, null);
    return { tree: emptyTree(tree.manifest), head: EMPTY_LOG, wasDamaged: false };
  }

  async function isOnLog(bankId: string, head: LogHead): Promise<boolean> {
    if (head.seq === 0) return true;
    const [entry] = await banks.readLog(bankId, head.seq - 1, 1);
    return entry?.hash === head.hash;
  }

  /** The tree at an earlier head, by replay. */
  async function treeAt(bankId: string, head: LogHead, { manifest }: Tree): Promise<Tree> {
    let tree = emptyTree(manifest);
    for await (const page of logPages(banks, bankId, 0)) {
      tree = replayOn(
        tree,
        page.filter(({ seq }) => seq <= head.seq),
      );
      if ((page.at(-1)?.seq ?? 0) >= head.seq) break;
    }
    return tree;
  }

  /** Feeds an index what the log says after it, step by step. */
  async function follow(name: string, index: OpenIndex, to: Target): Promise<OpenIndex> {
    let { tree, head } = index;
    // The worker takes one page in while the next one is read and replayed here.
    let feeding = Promise.resolve();
    let fed = { tree, head };
    for await (const page of wholeSteps(logPages(banks, to.bankId, head.seq, batch))) {
      const changes: StepChange[] = [];
      for (const entries of bySteps(page)) {
        const after = replayOn(tree, entries);
        for (const change of recallChanges(tree, after)) {
          changes.push({ ...change, step: entries[0]?.step ?? 0 });
        }
        tree = after;
      }
      for (const entry of page.slice(-1)) head = headOf(entry);
      await feeding;
      await to.onPage?.({ ...index, tree: fed.tree, head: fed.head });
      fed = { tree, head };
      feeding = feed(name, head, changes);
      // It is awaited below or on the next page; a page that does not read comes first.
      feeding.catch(() => undefined);
      to.tell?.(head.seq, Math.max(to.head.seq, head.seq));
      if (head.hash === to.head.hash || to.signal?.aborted === true) break;
    }
    await feeding;
    return { ...index, tree, head };
  }

  async function feed(name: string, head: LogHead, changes: readonly StepChange[]) {
    for (let from = 0; from < Math.max(1, changes.length); from += batch) {
      const part = changes.slice(from, from + batch);
      await recall.apply(name, { head, changes: await withVectors(part) });
    }
  }

  async function withVectors(changes: readonly StepChange[]): Promise<readonly NodeChange[]> {
    const texts = changes.flatMap(({ node }) => (node === null ? [] : [fieldsText(node.fields)]));
    const vectors = [...((await encoder?.encode(texts, 'passage')) ?? texts.map(() => null))];
    return changes.map(({ id, step, node }): NodeChange => {
      if (node === null) return { type: 'remove', id, step };
      const put: PutNode = { type: 'put', id, step, ...node, vector: vectors.shift() ?? null };
      return put;
    });
  }

  function storeSoon(bankId: string): void {
    clearTimeout(storing.get(bankId));
    storing.set(
      bankId,
      setTimeout(() => void inTurn(bankId, () => keep(bankId)), QUIET_MS),
    );
  }

  /** Stores the index where it stands. Recall works without it, so a failure to store is let be. */
  async function keep(bankId: string): Promise<void> {
    const head = open.get(bankId)?.head;
    if (head === undefined) return;
    try {
      const parts = await recall.store(nameOf(bankId));
      const changed = changedParts(stored.get(bankId), parts);
      const manifest = parts.get('manifest');
      await store.writeRecall(bankId, {
        making: makingId,
        head,
        names: [...parts.keys()],
        parts: changed,
      });
      if (manifest !== undefined) stored.set(bankId, manifest);
    } catch {
      stored.delete(bankId);
    }
  }

  /** An index made of the log alone, beside the one that is open; gives the parts they differ in. */
  async function compare(bankId: string, { tell }: RecallRun): Promise<readonly string[]> {
    const { bank } = await upToDate(bankId, {});
    const beside = `${nameOf(bankId)} from the log`;
    try {
      await recall.open(beside, making, null);
      const empty = { tree: emptyTree(bank.tree.manifest), head: EMPTY_LOG, wasDamaged: false };
      const { head } = await follow(beside, empty, { bankId, head: bank.head, tell });
      if (head.hash !== bank.head.hash) return ['log'];
      const [held, made] = [await recall.store(nameOf(bankId)), await recall.store(beside)];
      return [...changedParts(held.get('manifest'), made).keys()].filter(
        (part) => part !== 'manifest',
      );
    } finally {
      await recall.close(beside);
    }
  }

  return {
    making,
    async close() {
      await Promise.all(
        [...open.keys()].map((bankId) =>
          inTurn(bankId, async () => {
            if (storing.has(bankId)) await keep(bankId);
            clearTimeout(storing.get(bankId));
            storing.delete(bankId);
            open.delete(bankId);
            await recall.close(nameOf(bankId));
          }),
        ),
      );
    },
    async check(bankId, run = {}) {
      return inTurn(bankId, async () => {
        const differing = await compare(bankId, run);
        if (differing.length === 0) return true;
        open.delete(bankId);
        await store.removeRecall(bankId, makingId);
        return false;
      });
    },
    at(bankId, run = {}) {
      return inTurn(bankId, async (): Promise<RecalledBank> => {
        let found: Awaited<ReturnType<typeof upToDate>>;
        try {
          found = await upToDate(bankId, run);
        } catch (error) {
          if (run.signal?.aborted === true && error === run.signal.reason) throw error;
          // It may have taken a part of a page in.
          open.delete(bankId);
          if (!(error instanceof RecallError) || error.code === 'encoder-failed') throw error;
          // Once more, from the log: what was stored is not to be relied on.
          await store.removeRecall(bankId, makingId);
          found = { ...(await upToDate(bankId, run)), wasDamaged: true };
        }
        return {
          ...found.bank,
          making,
          wasDamaged: found.wasDamaged,
          async find({ text, ...query }) {
            const [vector] =
              (query.mode === 'bm25' ? undefined : await encoder?.encode([text], 'question')) ?? [];
            const encoded =
              vector === undefined || encoder === null ? null : { ...vector, encoder: encoder.id };
            try {
              return await recall.query(nameOf(bankId), { text, ...query, vector: encoded });
            } catch (error) {
              open.delete(bankId);
              throw error;
            }
          },
        };
      });
    },
  };
}

/** Where an index is to get to. */
interface Target extends RecallRun {
  readonly bankId: string;
  readonly head: LogHead;
  /** Told of the index as it stands, with nothing half taken in, before each page. */
  onPage?(index: OpenIndex): Promise<void>;
}

type StepChange = RecallChange & { readonly step: number };

/**
 * The same entries, no step cut in two: an index holds what a node was after each step, so that it is
 * the same however the log was read.
 */
async function* wholeSteps(
  pages: AsyncIterable<readonly LogEntry[]>,
): AsyncGenerator<readonly LogEntry[]> {
  let open: LogEntry[] = [];
  for await (const page of pages) {
    const first = page.findIndex(({ step }) => step === page.at(-1)?.step);
    const goesOn = first === 0 && open[0]?.step === page[0]?.step;
    if (goesOn) {
      open.push(...page);
      continue;
    }
    const ended = [...open, ...page.slice(0, first)];
    if (ended.length > 0) yield ended;
    open = page.slice(first);
  }
  if (open.length > 0) yield open;
}

/** Entries in runs of the same step. */
function* bySteps(entries: readonly LogEntry[]): Generator<readonly LogEntry[]> {
  let run: LogEntry[] = [];
  for (const entry of entries) {
    if (run.length > 0 && run[0]?.step !== entry.step) {
      yield run;
      run = [];
    }
    run.push(entry);
  }
  if (run.length > 0) yield run;
}
