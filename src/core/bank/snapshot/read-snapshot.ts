import { z } from 'zod';
import type { BankSnapshot, SnapshotStructure } from '../../ports.ts';
import { accept, refuse, type Refusal, type Result } from '../../result.ts';
import { atOnce, TURN, type Turns } from '../../turns.ts';
import { ROOT_ID, type Node } from '../node.ts';
import { outcomeSchema, type BankManifest } from '../operation.ts';
import { getGroup, type Tree } from '../tree.ts';
import { treeInTurns } from '../tree-from-records.ts';
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
 * from it. In turns.
 */
export function* openStructure(
  manifest: BankManifest,
  structure: SnapshotStructure,
): Turns<Result<Tree, SnapshotRefusal>> {
  const nodes: Node[] = [];
  for (const piece of structure.pieces) {
    const read = readStructurePiece(piece);
    if (!read.ok) return read;
    for (const node of read.value) nodes.push(node);
    yield;
  }
  return yield* joinPieces(manifest, structure, nodes, 'outline');
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
 * passes through the snapshot's head is for the caller to check. In turns.
 */
export function* joinPieces(
  manifest: BankManifest,
  structure: SnapshotStructure,
  nodes: readonly Node[],
  kind: 'whole' | 'outline' = 'whole',
): Turns<Result<Tree, SnapshotRefusal>> {
  const state = parseState(structure.state);
  if (state === undefined || nodes.length !== structure.nodes) {
    return refuse('bad-shape', 'the snapshot does not parse', 'structure');
  }
  const tree = yield* treeInTurns(manifest, { ...state, nodes }, kind);
  const lost = yield* findLost(tree, nodes);
  return lost === undefined
    ? accept(tree)
    : refuse('dangling', `${lost} hangs from nothing`, 'structure');
}

/** The tree of a snapshot, at once. */
export function fromSnapshot(
  manifest: BankManifest,
  { structure, texts }: Pick<BankSnapshot, 'structure' | 'texts'>,
): Result<Tree, SnapshotRefusal> {
  const nodes: Node[] = [];
  for (const [at, piece] of structure.pieces.entries()) {
    const read = readPiece(piece, texts[at] ?? '');
    if (!read.ok) return read;
    nodes.push(...read.value);
  }
  return atOnce(joinPieces(manifest, structure, nodes));
}

/** The id of a node that hangs from no group; the root's where there is none. */
function* findLost(tree: Tree, nodes: readonly Node[]): Turns<string | undefined> {
  if (getGroup(tree, ROOT_ID) === undefined) return ROOT_ID;
  for (const [at, { id, parent }] of nodes.entries()) {
    if (at % TURN === TURN - 1) yield;
    if (parent !== null && getGroup(tree, parent) === undefined) return id;
  }
  return undefined;
}

function parseState(json: string): SnapshotState | undefined {
  try {
    return snapshotStateSchema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
