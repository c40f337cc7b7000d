import { EMPTY_LOG, headOf, replay } from '../core/bank/log.ts';
import type { Node } from '../core/bank/node.ts';
import type { LogEntry } from '../core/bank/operation.ts';
import { openGroups } from '../core/bank/snapshot/group-piece.ts';
import { joinPieces, openStructure, readPiece } from '../core/bank/snapshot/read-snapshot.ts';
import { emptyTree, getNode, type Tree } from '../core/bank/tree.ts';
import { StorageError } from '../core/errors.ts';
import type { BankInfo, BankSnapshot, BankStore, LogHead } from '../core/ports.ts';
import { logPages } from './log-pages.ts';
import { drawn, othersWork, overTime } from './others-work.ts';

/** A bank as it stands. */
export interface KeptBank {
  readonly tree: Tree;
  readonly head: LogHead;
  readonly step: number;
}

/** How much of a bank has been read. */
export interface ReadingProgress {
  readonly done: number;
  readonly of: number;
  readonly unit: 'nodes' | 'entries';
}

/** A smaller bank is read whole before anybody could look at its outline. */
const OUTLINE_NODES = 4096;
/** Pieces of text read at a time. */
const PIECES_A_READ = 4;

type Structure = Pick<BankSnapshot, 'head' | 'structure'>;

/**
 * One reading of a bank: its newest snapshot, groups first, then structure, then texts, and the log
 * after it; all of the log where no snapshot reads or fits.
 */
export class BankOpening {
  /** The tree of the groups alone, as the snapshot has it; null where the whole is about as quick. */
  readonly groups: Promise<Tree | null>;
  /** The tree without texts, likewise. */
  readonly outline: Promise<Tree | null>;
  /** Rejects with StorageError; `corrupt` where the log does not replay. */
  readonly whole: Promise<KeptBank>;
  /** The head of the snapshot that was read; null where there was none. */
  snapshotAt: LogHead | null = null;
  readonly #banks: BankStore;
  readonly #info: BankInfo;
  readonly #listeners = new Set<(progress: ReadingProgress) => void>();
  #structure: Structure | null = null;

  constructor(banks: BankStore, info: BankInfo) {
    this.#banks = banks;
    this.#info = info;
    this.groups = this.#readGroups();
    const structure = this.#readStructure();
    this.outline = structure.then((found) => (found === null ? null : this.#outlineOf(found)));
    this.whole = this.#readWhole(structure);
    // Whoever awaits `whole` is told; a failure is not one more for those who only look.
    this.groups.catch(() => undefined);
    this.outline.catch(() => undefined);
  }

  /** Told as pieces come. Returns how to stop. */
  watch(tell: (progress: ReadingProgress) => void): () => void {
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  }

  /** One node with its texts, ahead of the others; undefined where the snapshot has no such node. */
  async peek(nodeId: string): Promise<Node | undefined> {
    if ((await this.outline) === null) return undefined;
    const structure = this.#structure;
    const quoted = JSON.stringify(nodeId);
    for (const [at, piece] of structure?.structure.pieces.entries() ?? []) {
      if (structure === null || !piece.includes(quoted)) continue;
      const pieces = { from: at, to: at + 1 };
      const texts = await this.#banks.readTexts(this.#info.manifest.id, structure.head, pieces);
      const nodes = readPiece(piece, texts?.[0] ?? '');
      const found = nodes.ok ? nodes.value.find(({ id }) => id === nodeId) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #readGroups(): Promise<Tree | null> {
    const { manifest } = this.#info;
    const found = await this.#banks.readGroups(manifest.id);
    if (found === undefined || found.nodes < OUTLINE_NODES) return null;
    const opened = openGroups(manifest, found.groups);
    if (!opened.ok) return null;
    this.#tell({ done: 0, of: found.nodes, unit: 'nodes' });
    return opened.value;
  }

  async #readStructure(): Promise<Structure | null> {
    // Reading on holds up the page: the groups are on screen before.
    if ((await this.groups) !== null) await drawn();
    this.#structure = (await this.#banks.readStructure(this.#info.manifest.id)) ?? null;
    return this.#structure;
  }

  async #outlineOf({ structure }: Structure): Promise<Tree | null> {
    if (structure.nodes < OUTLINE_NODES) return null;
    const opened = await overTime(openStructure(this.#info.manifest, structure));
    return opened.ok ? opened.value : null;
  }

  async #readWhole(structure: Promise<Structure | null>): Promise<KeptBank> {
    const found = await structure;
    const bank = found === null ? null : await this.#readSnapshot(found);
    if (bank !== null) {
      this.snapshotAt = bank.head;
      return this.#follow(bank);
    }
    return this.#follow({ tree: emptyTree(this.#info.manifest), head: EMPTY_LOG, step: 0 });
  }

  /** null where it does not read, or the log does not pass through it. */
  async #readSnapshot({ head, structure }: Structure): Promise<KeptBank | null> {
    const { manifest } = this.#info;
    const [at] = await this.#banks.readLog(manifest.id, head.seq - 1, 1);
    if (at?.hash !== head.hash) return null;
    const outline = await this.outline;
    if (outline !== null) await othersWork();
    const nodes: Node[] = [];
    const { pieces } = structure;
    for (let from = 0; from < pieces.length; from += PIECES_A_READ) {
      const to = Math.min(pieces.length, from + PIECES_A_READ);
      const texts = await this.#banks.readTexts(manifest.id, head, { from, to });
      for (let piece = from; piece < to; piece += 1) {
        const read = readPiece(pieces[piece] ?? '', texts?.[piece - from] ?? '');
        if (!read.ok) return null;
        for (const node of read.value) nodes.push(node);
        this.#tell({ done: nodes.length, of: structure.nodes, unit: 'nodes' });
        if (outline !== null) await othersWork();
      }
    }
    const tree = await overTime(joinPieces(manifest, structure, nodes));
    return tree.ok ? { tree: tree.value, head: headOf(at), step: at.step } : null;
  }

  /** The bank with all that its log tells after it. */
  async #follow(bank: KeptBank): Promise<KeptBank> {
    const { manifest, head } = this.#info;
    let { tree, head: at, step } = bank;
    for await (const page of logPages(this.#banks, manifest.id, at.seq)) {
      tree = replayOn(tree, page);
      for (const entry of page.slice(-1)) [at, step] = [headOf(entry), entry.step];
      this.#tell({ done: at.seq, of: Math.max(at.seq, head.seq), unit: 'entries' });
    }
    return { tree, head: at, step };
  }

  #tell(progress: ReadingProgress): void {
    for (const tell of this.#listeners) tell(progress);
  }
}

/** A tree with what entries say after it. Throws StorageError `corrupt` where they do not replay. */
export function replayOn(tree: Tree, entries: readonly LogEntry[]): Tree {
  const replayed = replay(tree.manifest, entries, tree);
  if (replayed.ok) return replayed.value;
  const { message } = replayed.refusal;
  throw new StorageError('corrupt', `The bank's log does not replay: ${message}.`);
}

/** An outline in which one node has its texts. */
export function withNode(outline: Tree, node: Node): Tree {
  if (getNode(outline, node.id) === undefined) return outline;
  return { ...outline, nodes: outline.nodes.set(node.id, node) };
}
