import type { BankSnapshot, LogHead } from '../../ports.ts';
import { atOnce, type Turns } from '../../turns.ts';
import type { Node } from '../node.ts';
import type { Tree } from '../tree.ts';
import { writeGroups } from './group-piece.ts';
import type { SnapshotState } from './read-snapshot.ts';
import { writeStructurePiece } from './structure-piece.ts';
import { writeTextPiece } from './text-piece.ts';

/** Nodes a piece: some milliseconds to read, and enough that a database gives them quickly. */
const PIECE_NODES = 1024;

/**
 * A tree as it stood at `head`, piece by piece: yields after each, for a caller that lets others work
 * in between. `openGroups`, `openStructure` and `readPiece` read it.
 */
export function* writeSnapshot(tree: Tree, head: LogHead): Turns<BankSnapshot> {
  const pieces: string[] = [];
  const texts: string[] = [];
  for (const nodes of piecesOf(tree)) {
    pieces.push(writeStructurePiece(nodes));
    texts.push(writeTextPiece(nodes));
    yield;
  }
  const state: SnapshotState = {
    frozen: tree.frozen,
    aliases: [...tree.aliases.entries()].map(([id, to]) => [id, [...to]]),
    outcomes: [...tree.outcomes.entries()].map(([key, outcome]) => [key, outcome]),
  };
  const structure = { nodes: tree.nodes.size, state: JSON.stringify(state), pieces };
  const groups = yield* writeGroups(tree);
  return { head, groups, structure, texts };
}

/** `writeSnapshot` at once. */
export function toSnapshot(tree: Tree, head: LogHead): BankSnapshot {
  return atOnce(writeSnapshot(tree, head));
}

function* piecesOf(tree: Tree): Generator<readonly Node[]> {
  let piece: Node[] = [];
  for (const [, node] of tree.nodes.entries()) {
    piece.push(node);
    if (piece.length < PIECE_NODES) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
