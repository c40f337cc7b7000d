import { z } from 'zod';
import type { BankSnapshot, SnapshotStructure } from '../../ports.ts';
import { accept, refuse, type Refusal, type Result } from '../../result.ts';
import { ROOT_ID, type Node } from '../node.ts';
import { outcomeSchema, type BankManifest } from '../operation.ts';
import { getGroup, type Tree } from '../tree.ts';
import { treeFromRecords } from '../tree-from-records.ts';
import { readStructurePiece } from './structure-piece.ts';
import { readTextPiece } from './text-piece.ts';

/** What a snapshot says besides its nodes. */
const snapshotStateSchema = z.object({
  frozen: z.boolean(),
  aliases: z.array(z.tuple([z.string(), z.array(z.string())])),
  outcomes: z.array(z.tuple([z.string(), outcomeSchema])),
});
export type SnapshotState = z.infer<typeof snapshotStateSchema>;

/** Why a snapshot gives no tree; the log then tells it all. */
export type SnapshotRefusal = Refusal<'bad-shape' | 'dangling'>;

/**
 * The outline of a bank: its tree without texts, to look at while they are read. Titles, evidence,
 * ranks and crops are there; content hashes and every other text are empty. Nothing may be written
 * from it.
 */
export function openStructure(
  manifest: BankManifest,
  structure: SnapshotStructure,
): Result<Tree, SnapshotRefusal> {
  const nodes: Node[] = [];
  for (const piece of structure.pieces) {
    const read = readStructurePiece(piece);
    if (!read.ok) return read;
    for (const node of read.value) nodes.push(node);
  }
  return joinPieces(manifest, structure, nodes, 'outline');
}

/** The whole nodes of a piece: its structure and its texts put together. */
export function readPiece(
  structure: string,
  text: string,
): Result<readonly Node[], SnapshotRefusal> {
  const read = readStructurePiece(structure);
  return read.ok ? readTextPiece(read.value, text) : read;
}

/**
 * The tree of the nodes of all pieces; `dangling` where a node hangs from no group. Whether the log
 * passes through the snapshot's head is for the caller to check.
 */
export function joinPieces(
  manifest: BankManifest,
  structure: SnapshotStructure,
  nodes: readonly Node[],
  kind: 'whole' | 'outline' = 'whole',
): Result<Tree, SnapshotRefusal> {
  const state = parseState(structure.state);
  if (state === undefined || nodes.length !== structure.nodes) {
    return refuse('bad-shape', 'the snapshot does not parse', 'structure');
  }
  const tree = treeFromRecords(manifest, { ...state, nodes }, kind);
  const lost = nodes.find(({ parent }) => parent !== null && getGroup(tree, parent) === undefined);
  return lost === undefined && getGroup(tree, ROOT_ID) !== undefined
    ? accept(tree)
    : refuse('dangling', `${lost?.id ?? ROOT_ID} hangs from nothing`, 'structure');
}

/** The tree of a snapshot, at once. */
export function fromSnapshot(
  manifest: BankManifest,
  { structure, texts }: BankSnapshot,
): Result<Tree, SnapshotRefusal> {
  const nodes: Node[] = [];
  for (const [at, piece] of structure.pieces.entries()) {
    const read = readPiece(piece, texts[at] ?? '');
    if (!read.ok) return read;
    nodes.push(...read.value);
  }
  return joinPieces(manifest, structure, nodes);
}

function parseState(json: string): SnapshotState | undefined {
  try {
    return snapshotStateSchema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
