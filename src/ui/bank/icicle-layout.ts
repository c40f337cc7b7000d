import { ROOT_ID } from '../../core/bank/node.ts';
import { rankOf, type Rank } from '../../core/bank/rank.ts';
import { childrenOf, getNode, lessonsBelow, titleOf, type Tree } from '../../core/bank/tree.ts';

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
}

export interface IciclePicture {
  readonly width: number;
  readonly height: number;
  readonly cells: readonly IcicleCell[];
}

const WIDTH = 480;
const ROW = 22;
const MIN_HEIGHT = 220;
const MAX_HEIGHT = 520;
const CHAR_WIDTH = 6.2;

/** Lays `top` and what is below it out: a column a level, heights by the number of lessons. */
export function layOutIcicle(tree: Tree, top: string): IciclePicture {
  const sizeOf = (id: string): number => {
    const node = getNode(tree, id);
    if (node?.kind === 'lesson') return node.status === 'active' ? 1 : 0;
    return Math.max(1, [...lessonsBelow(tree, id)].filter((l) => l.status === 'active').length);
  };
  const levelsBelow = (id: string): number =>
    1 + Math.max(0, ...childrenOf(tree, id).map(levelsBelow));
  const levels = levelsBelow(top);
  const total = sizeOf(top);
  const height = Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, total * ROW));
  const unit = height / total;
  // The first column holds one name and the last lessons only; those between carry the reading.
  const share = (column: number) => (column === 0 ? 0.7 : 1);
  const shares = Array.from({ length: levels }, (_, column) => share(column));
  const whole = shares.reduce((sum, part) => sum + part, 0);
  const widths = shares.map((part) => (part / whole) * WIDTH);
  const cells: IcicleCell[] = [];
  const walk = (id: string, column: number, at: { x: number; y: number }) => {
    const node = getNode(tree, id);
    const size = sizeOf(id);
    if (node === undefined || size === 0) return;
    const isLesson = node.kind === 'lesson';
    const width = isLesson ? WIDTH - at.x : (widths[column] ?? 0);
    const title = id === ROOT_ID ? tree.manifest.name : titleOf(node);
    cells.push({
      id,
      title,
      label: cut(title, width - 18),
      column,
      ...at,
      width,
      height: size * unit,
      rank: rankOf(tree, id),
      held: isLesson && node.trust === 'held',
      lessons: size,
    });
    let y = at.y;
    for (const child of childrenOf(tree, id)) {
      walk(child, column + 1, { x: at.x + width, y });
      y += sizeOf(child) * unit;
    }
  };
  walk(top, 0, { x: 0, y: 0 });
  return { width: WIDTH, height, cells };
}

function cut(title: string, widthPx: number): string {
  const fits = Math.floor(widthPx / CHAR_WIDTH);
  if (fits < 4) return '';
  return title.length <= fits ? title : `${title.slice(0, fits - 1).trimEnd()}…`;
}
