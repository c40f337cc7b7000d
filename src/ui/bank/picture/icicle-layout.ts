import { ROOT_ID, type Lesson } from '../../../core/bank/node.ts';
import type { Rank } from '../../../core/bank/rank.ts';
import { childrenOf, getNode, titleOf, type Tree } from '../../../core/bank/tree.ts';
import { treeFacts } from '../../../core/bank/tree-facts.ts';
import { sourceOf } from '../../../core/bank/source-of.ts';

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

/** What lies below a group and is too thin to draw one by one: a strip that stands for all of it. */
export interface IcicleStrip {
  /** The group. */
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly lessons: number;
  /** The part of its lessons that a rule, or at least a summary, rests on; of 1. */
  readonly ruleShare: number;
  readonly summaryShare: number;
}

export interface IciclePicture {
  readonly width: number;
  readonly height: number;
  readonly cells: readonly IcicleCell[];
  readonly strips: readonly IcicleStrip[];
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
  const facts = treeFacts(tree);
  const counts = facts.lessons;
  const sizeOf = (id: string) =>
    getNode(tree, id)?.kind === 'group' ? Math.max(1, counts.get(id) ?? 0) : (counts.get(id) ?? 0);
  const total = sizeOf(top);
  const height = Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, total * ROW));
  const unit = height / total;
  const widths = columnWidths(facts.levelsFrom(top));
  const cells: IcicleCell[] = [];
  const strips: IcicleStrip[] = [];
  const walk = (id: string, column: number, at: { readonly x: number; readonly y: number }) => {
    const node = getNode(tree, id);
    const size = sizeOf(id);
    if (node === undefined || size === 0) return;
    const isLesson = node.kind === 'lesson';
    const width = isLesson ? WIDTH - at.x : (widths[column] ?? 0);
    const title = id === ROOT_ID ? tree.manifest.name : titleOf(node);
    const source = isLesson ? firstSource(node) : null;
    const held = isLesson && node.trust === 'held';
    const shape = { ...at, width, height: size * unit };
    const label = cut(title, width - 18);
    cells.push({
      ...{ id, title, label, column, held, source },
      ...shape,
      rank: facts.rankOf(id),
      lessons: size,
    });
    const x = at.x + width;
    const children = childrenOf(tree, id);
    const thinnest = Math.min(...children.map((child) => sizeOf(child) || Infinity)) * unit;
    if (thinnest < THINNEST) {
      strips.push({
        id,
        ...shape,
        x,
        width: WIDTH - x,
        lessons: size,
        ...sharesOf(tree, id, size),
      });
      return;
    }
    let y = at.y;
    for (const child of children) {
      walk(child, column + 1, { x, y });
      y += sizeOf(child) * unit;
    }
  };
  walk(top, 0, { x: 0, y: 0 });
  return { width: WIDTH, height, cells, strips };
}

/** Which part of the lessons below a group a rule or a summary stands over. */
function sharesOf(
  tree: Tree,
  id: string,
  lessons: number,
): Pick<IcicleStrip, 'ruleShare' | 'summaryShare'> {
  const facts = treeFacts(tree);
  const counts = facts.lessons;
  let [rules, summaries] = [0, 0];
  const visit = (at: string) => {
    const rank = facts.rankOf(at);
    if (rank === 'rule') rules += counts.get(at) ?? 0;
    else if (rank === 'summary') summaries += counts.get(at) ?? 0;
    else for (const child of childrenOf(tree, at)) visit(child);
  };
  visit(id);
  return { ruleShare: rules / lessons, summaryShare: summaries / lessons };
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

/** A text cut to what fits a width in the picture's units; empty where nothing does. */
export function cut(title: string, widthPx: number): string {
  const fits = Math.floor(widthPx / CHAR_WIDTH);
  if (fits < 4) return '';
  return title.length <= fits ? title : `${title.slice(0, fits - 1).trimEnd()}…`;
}
