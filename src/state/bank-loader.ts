import { headOf } from '../core/bank/log.ts';
import type { BankManifest, LogEntry } from '../core/bank/operation.ts';
import { writeSnapshot } from '../core/bank/snapshot/write-snapshot.ts';
import { canonicalJson } from '../core/canonical.ts';
import { StorageError } from '../core/errors.ts';
import type { BankInfo, BankStore, LogHead } from '../core/ports.ts';
import { BankOpening, replayOn, type KeptBank } from './bank-opening.ts';
import { logPages } from './log-pages.ts';
import { overTime } from './others-work.ts';

/** Reads banks as they stand, and keeps what it has read. */
export interface BankLoader {
  /**
   * The bank, read on from where it was known. Where it is read for the first time `onOpening` is told
   * the reading to wait for. Throws StorageError `not-found`, `corrupt`.
   */
  load(bankId: string, onOpening?: (opening: BankOpening) => void): Promise<KeptBank>;
  /** The bank after entries that were just appended to it. */
  extend(bankId: string, bank: KeptBank, entries: readonly LogEntry[]): KeptBank;
}

type OnOpening = (opening: BankOpening) => void;

/** A snapshot is left once so many entries, or an eighth of the nodes, came after the newest one. */
const SNAPSHOT_ENTRIES = 512;
const SNAPSHOT_SHARE = 8;

export function makeBankLoader(banks: BankStore): BankLoader {
  const kept = new Map<string, KeptBank>();
  const openings = new Map<string, BankOpening>();
  const loads = new Map<string, Promise<KeptBank>>();
  /** The newest snapshot of each bank, as far as is known here. */
  const snapshots = new Map<string, LogHead>();
  const leaving = new Set<string>();

  /** One load of a bank at a time; who asks meanwhile is given the next one's result. */
  function load(bankId: string, onOpening: OnOpening = () => undefined): Promise<KeptBank> {
    const before = loads.get(bankId) ?? Promise.resolve();
    const next = before.catch(() => undefined).then(() => loadAlone(bankId, onOpening));
    loads.set(bankId, next);
    const opening = openings.get(bankId);
    if (opening !== undefined) onOpening(opening);
    return next;
  }

  async function loadAlone(bankId: string, onOpening: OnOpening): Promise<KeptBank> {
    const info = await banks.getBank(bankId);
    if (info === undefined) throw new StorageError('not-found', 'This bank is not here any more.');
    const last = kept.get(bankId);
    const known = last && withManifest(last, info.manifest);
    if (known !== undefined && known.head.hash === info.head.hash) {
      kept.set(bankId, known);
      return known;
    }
    const bank = (known && (await goOn(bankId, known))) ?? (await openAnew(info, onOpening));
    keep(bankId, bank);
    return bank;
  }

  /** A bank with what its log tells after it; undefined where the log does not pass through its head. */
  async function goOn(bankId: string, bank: KeptBank): Promise<KeptBank | undefined> {
    if (bank.head.seq === 0) return undefined;
    const [last] = await banks.readLog(bankId, bank.head.seq - 1, 1);
    if (last?.hash !== bank.head.hash) return undefined;
    let grown = bank;
    for await (const page of logPages(banks, bankId, bank.head.seq)) grown = extended(grown, page);
    return grown;
  }

  async function openAnew(info: BankInfo, onOpening: OnOpening): Promise<KeptBank> {
    const { id: bankId } = info.manifest;
    snapshots.delete(bankId);
    const opening = new BankOpening(banks, info);
    openings.set(bankId, opening);
    onOpening(opening);
    try {
      const bank = await opening.whole;
      if (opening.snapshotAt !== null) snapshots.set(bankId, opening.snapshotAt);
      return bank;
    } finally {
      openings.delete(bankId);
    }
  }

  function keep(bankId: string, bank: KeptBank): void {
    kept.set(bankId, bank);
    const since = bank.head.seq - (snapshots.get(bankId)?.seq ?? 0);
    const isDue = since >= Math.max(SNAPSHOT_ENTRIES, bank.tree.nodes.size / SNAPSHOT_SHARE);
    if (isDue && !leaving.has(bankId)) void leaveSnapshot(bankId, bank);
  }

  /** Behind everything else. A bank is whole without it, so a failure to store it is let be. */
  async function leaveSnapshot(bankId: string, { tree, head }: KeptBank): Promise<void> {
    leaving.add(bankId);
    try {
      await banks.putSnapshot(bankId, await overTime(writeSnapshot(tree, head)));
      snapshots.set(bankId, head);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    } finally {
      leaving.delete(bankId);
    }
  }

  return {
    load,
    extend(bankId, bank, entries) {
      const grown = extended(bank, entries);
      keep(bankId, grown);
      return grown;
    },
  };
}

/** A bank by the settings it has now, which change without its log. */
function withManifest(bank: KeptBank, manifest: BankManifest): KeptBank {
  if (canonicalJson(bank.tree.manifest) === canonicalJson(manifest)) return bank;
  return { ...bank, tree: { ...bank.tree, manifest } };
}

function extended(bank: KeptBank, entries: readonly LogEntry[]): KeptBank {
  const last = entries.at(-1);
  if (last === undefined) return bank;
  return { tree: replayOn(bank.tree, entries), head: headOf(last), step: last.step };
}
