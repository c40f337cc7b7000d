import { ROOT_ID, type Lesson } from '../../core/bank/node.ts';
import { rankOf, type Rank } from '../../core/bank/rank.ts';
import { childrenOf, getNode, titleOf, type Tree } from '../../core/bank/tree.ts';
import { lessonCounts } from './lesson-counts.ts';
import { sourceOf } from './row-filter.ts';

/** One rectangle of the picture, in its own units. */
export interface IcicleCell {
  readonly id: string;
  readonly title: string;
  /** The title cut to what fits the column; empty where nothing does. */
  readonly label: string;
  readonly column: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly rank: Rank;
  readonly held: boolean;
  readonly lessons: number;
  /** Where a lesson came from first; null for a group. */
  readonly source: string | null;
}

export interface IciclePicture {
  readonly width: number;
  readonly height: number;
  readonly cells: readonly IcicleCell[];
  /** Lessons too thin to draw one by one: their group's strip stands for them. */
  readonly folded: number;
}

const WIDTH = 480;
const ROW = 22;
const MIN_HEIGHT = 220;
const MAX_HEIGHT = 520;
const CHAR_WIDTH = 6.2;
/** What is thinner is drawn as one strip with its siblings. */
const THINNEST = 1.6;

/** Lays `top` and what is below it out: a column a level, heights by the number of lessons. */
export function layOutIcicle(tree: Tree, top: string): IciclePicture {
  const counts = lessonCounts(tree);
  const sizeOf = (id: string) =>
    getNode(tree, id)?.kind === 'group' ? Math.max(1, counts.get(id) ?? 0) : (counts.get(id) ?? 0);
  const total = sizeOf(top);
  const height = Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, total * ROW));
  const unit = height / total;
  const widths = columnWidths(levelsBelow(tree, top));
  const cells: IcicleCell[] = [];
  let folded = 0;
  const walk = (id: string, column: number, at: { readonly x: number; readonly y: number }) => {
    const node = getNode(tree, id);
    const size = sizeOf(id);
    if (node === undefined || size === 0) return;
    const isLesson = node.kind === 'lesson';
    const width = isLesson ? WIDTH - at.x : (widths[column] ?? 0);
    const title = id === ROOT_ID ? tree.manifest.name : titleOf(node);
    const source = isLesson ? firstSource(node) : null;
    const held = isLesson && node.trust === 'held';
    const shape = { column, ...at, width, height: size * unit };
    const label = cut(title, width - 18);
    cells.push({ id, title, label, ...shape, rank: rankOf(tree, id), held, lessons: size, source });
    let y = at.y;
    for (const child of childrenOf(tree, id)) {
      const childSize = sizeOf(child);
      if (childSize * unit < THINNEST) folded += childSize;
      else walk(child, column + 1, { x: at.x + width, y });
      y += childSize * unit;
    }
  };
  walk(top, 0, { x: 0, y: 0 });
  return { width: WIDTH, height, cells, folded };
}

function levelsBelow(tree: Tree, id: string): number {
  return 1 + Math.max(0, ...childrenOf(tree, id).map((child) => levelsBelow(tree, child)));
}

/** The first column holds one name and the last lessons only; those between carry the reading. */
function columnWidths(levels: number): readonly number[] {
  const shares = Array.from({ length: levels }, (_, column) => (column === 0 ? 0.7 : 1));
  const whole = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => (share / whole) * WIDTH);
}

function firstSource({ evidence: [first] }: Lesson): string | null {
  return first === undefined ? null : sourceOf(first);
}

function cut(title: string, widthPx: number): string {
  const fits = Math.floor(widthPx / CHAR_WIDTH);
  if (fits < 4) return '';
  return title.length <= fits ? title : `${title.slice(0, fits - 1).trimEnd()}…`;
}
