import { eachLine } from './json-records.ts';
import type { ProblemList } from './problem.ts';

/** One item of a text: what stands under each label, by the label's place in the list. */
export interface LabelledBlock {
  readonly line: number;
  readonly texts: readonly (string | null)[];
}

/** How labels are written: as Markdown headings under one for the item, or as "Label: text". */
export type LabelLayout = 'markdown' | 'labels';

/** The layout of a text that has every label of the list at the start of some line, or null. */
export function labelLayout(text: string, labels: readonly string[]): LabelLayout | null {
  const lower = text.toLowerCase();
  if (!labels.every((label) => lower.includes(label.toLowerCase()))) return null;
  const found = new Set<number>();
  let isMarkdown = false;
  for (const { text: line } of eachLine(text)) {
    const label = readLabel(line, labels);
    if (label === null) continue;
    found.add(label.index);
    isMarkdown ||= line.startsWith('#');
  }
  if (found.size < labels.length) return null;
  return isMarkdown ? 'markdown' : 'labels';
}

/**
 * Items written as labelled paragraphs. The first label begins an item, and so does one that the
 * item has already; text runs to the next label. What stands before the first label is a problem.
 */
export function readLabelled(
  text: string,
  labels: readonly string[],
  problems: ProblemList,
): readonly LabelledBlock[] {
  const blocks: { line: number; texts: (string | null)[] }[] = [];
  let current: number | null = null;
  for (const { text: raw, line } of eachLine(text)) {
    const label = readLabel(raw, labels);
    let block = blocks.at(-1);
    if (label !== null) {
      if (block === undefined || (block.texts[label.index] ?? null) !== null) {
        block = { line, texts: labels.map(() => null) };
        blocks.push(block);
      }
      block.texts[label.index] = label.text;
      current = label.index;
    } else if (isDivider(raw)) current = null;
    else if (block !== undefined && current !== null) {
      block.texts[current] = `${block.texts[current] ?? ''}\n${raw}`;
    } else if (raw.trim() !== '') {
      const message = `Line ${line} was left out: it stands under none of ${labels.join(', ')}.`;
      problems.add({ line, path: '', effect: 'left-out', message });
    }
  }
  return blocks.map(({ line, texts }) => ({
    line,
    texts: texts.map((piece) => piece?.trim() ?? null),
  }));
}

/** Items as labelled paragraphs; lines of text that look like a label are set in by two spaces. */
export function* writeLabelled(
  layout: LabelLayout,
  labels: readonly string[],
  items: Iterable<readonly string[]>,
): Generator<string, void, undefined> {
  let number = 0;
  for (const texts of items) {
    number += 1;
    const lines = labels.map((label, index) => {
      const text = indentLabels(texts[index] ?? '', labels);
      return layout === 'markdown'
        ? `## ${label} ${text}`.trimEnd()
        : `${label}: ${text}`.trimEnd();
    });
    const heading = layout === 'markdown' ? [`# Memory Item ${number}`] : [];
    yield `${number === 1 ? '' : '\n'}${[...heading, ...lines].join('\n')}\n`;
  }
}

/** "## Title text", "**Title:** text" or "Title: text"; a bare word at the start of a line is prose. */
function readLabel(
  line: string,
  labels: readonly string[],
): { readonly index: number; readonly text: string } | null {
  const [start = '', heading = ''] = /^(?:(#{1,6})\s*|\*\*)?/u.exec(line) ?? [];
  const index = labels.findIndex(
    (label) =>
      line.slice(start.length, start.length + label.length).toLowerCase() === label.toLowerCase(),
  );
  const label = labels[index];
  if (label === undefined) return null;
  const rest = line.slice(start.length + label.length);
  const mark = /^(?:\*\*:|:\*\*|:|\*\*)/u.exec(rest)?.[0] ?? '';
  const isLabel = heading === '' ? mark.includes(':') : mark !== '' || /^(?:\s|$)/u.test(rest);
  return isLabel ? { index, text: rest.slice(mark.length).trim() } : null;
}

/** What stands between items and belongs to none: the item's heading, a fence, a rule. */
function isDivider(line: string): boolean {
  return /^#{1,6}\s*Memory Item\b/iu.test(line) || /^(?:```\w*|---+|\*\*\*+)\s*$/u.test(line);
}

function indentLabels(text: string, labels: readonly string[]): string {
  return [...eachLine(text)]
    .map(({ text: line }, index) =>
      index > 0 && (readLabel(line, labels) !== null || isDivider(line)) ? `  ${line}` : line,
    )
    .join('\n');
}
