import { claimInWords } from '../../bank/claim.ts';
import type { Evidence } from '../../bank/node.ts';
import { rankOf, standingOf, type Standing } from '../../bank/rank.ts';
import type { Tree } from '../../bank/tree.ts';
import type { Box } from '../../box.ts';
import type { Crop } from '../../memory.ts';
import { markdownBlock, markdownCode, markdownInline } from '../text/markdown-text.ts';
import {
  isShown,
  walkBank,
  type BankEntry,
  type BankStop,
  type EntrySelection,
} from './bank-entries.ts';
import type { ExportedBank } from './grove-lessons.ts';

/**
 * A bank as Markdown for people to read: groups as headings, rules with their support, each lesson
 * with when it applies, its cautions, its crop (as `crops/HASH.png` and its box in words) and where
 * it came from. Lessons are text from outside: whatever they hold shows as text. A piece is a group's
 * head or a lesson.
 */
export function* exportMarkdown(
  { tree, head }: ExportedBank,
  selection: EntrySelection = {},
): Generator<string, void, undefined> {
  const { name } = tree.manifest;
  const kept = selection.held === true ? 'Lessons held for review are among them.' : '';
  yield paragraphs([
    `# ${markdownInline(name) || 'Bank'}`,
    `Lessons of a Grove bank, as of entry ${head.seq} of its log. ${kept}`.trim(),
  ]);
  let isLoose = false;
  for (const stop of walkBank(tree, { ...selection, rules: false })) {
    if (stop.type === 'group') yield groupHead(tree, stop, selection);
    else {
      if (stop.entry.groups.length === 0 && !isLoose) {
        isLoose = true;
        yield paragraphs(['## Lessons in no group']);
      }
      yield lessonItem(stop.entry);
    }
  }
}

/** Where a box lies, in words: "the upper left: 10 % to 40 % across, 5 % to 30 % down". */
export function boxInWords([x0, y0, x1, y1]: Box): string {
  if (x0 === 0 && y0 === 0 && x1 === 1 && y1 === 1) return 'the whole image';
  const third = (at: number, names: readonly [string, string, string]) =>
    names[at < 1 / 3 ? 0 : at <= 2 / 3 ? 1 : 2];
  const down = third((y0 + y1) / 2, ['upper', 'middle', 'lower']);
  const across = third((x0 + x1) / 2, ['left', 'middle', 'right']);
  const where = down === across ? 'middle' : `${down} ${across}`;
  const percent = (fraction: number) => `${Math.round(fraction * 1000) / 10} %`;
  return `the ${where}: ${percent(x0)} to ${percent(x1)} across, ${percent(y0)} to ${percent(y1)} down`;
}

function groupHead(
  tree: Tree,
  { group, groups }: Extract<BankStop, { type: 'group' }>,
  selection: EntrySelection,
): string {
  const { id, title, scope, summary } = group;
  const level = Math.min(groups.length + 1, 6);
  const shown = isShown(tree, group, selection) ? summary : null;
  const rank = rankOf(tree, id);
  const standing = standingInWords(standingOf(tree, id));
  return paragraphs([
    `${'#'.repeat(level)} ${markdownInline(title) || 'Group'}`,
    scope.trim() === '' ? '' : `Scope: ${markdownInline(scope)}`,
    ...(shown === null
      ? []
      : [
          `**${rank === 'rule' ? 'Rule' : 'Summary'}**: ${standing}.`,
          markdownBlock(shown.text, ''),
          shown.procedure.map((step, at) => `${at + 1}. ${markdownInline(step)}`).join('\n'),
          shown.conditions.trim() === '' ? '' : `Applies when: ${markdownInline(shown.conditions)}`,
          shown.conflicts
            .filter(({ settled }) => settled === null)
            .map(({ about }) => `- Open conflict: ${markdownInline(about)}`)
            .join('\n'),
        ]),
  ]);
}

function lessonItem({ id, content, lesson, standing }: BankEntry): string {
  const { title, guidance, appliesWhen, cautions, topic, scope, crop } = content;
  const held = lesson?.trust === 'held' ? ', held for review' : '';
  const facts: readonly (readonly [string, string])[] = [
    ['Applies when', markdownInline(appliesWhen)],
    ...cautions.map((caution): [string, string] => ['Caution', markdownInline(caution)]),
    ['Topic', markdownInline(topic)],
    ['Scope', markdownInline(scope)],
    ['Crop', crop === null ? '' : cropInWords(crop)],
    ...(lesson?.evidence ?? []).map((item): [string, string] => [
      item.supports ? 'From' : 'Spoken against by',
      evidenceInWords(item),
    ]),
    ['Lesson', markdownCode(id)],
  ];
  return paragraphs([
    `- **${markdownInline(title) || 'Lesson'}** (${standingInWords(standing)}${held})`,
    markdownBlock(guidance, '  '),
    facts
      .filter(([, text]) => text !== '')
      .map(([name, text]) => `  - ${name}: ${text}`)
      .join('\n'),
  ]);
}

function cropInWords({ hash, box, sourceWidth, sourceHeight }: Crop): string {
  const path = `crops/${hash}.png`;
  const name = /^[0-9a-f]{64}$/u.test(hash) ? `[${path}](${path})` : markdownCode(path);
  return `${name}, ${boxInWords(box)} of an image of ${sourceWidth} × ${sourceHeight} px`;
}

function evidenceInWords({
  attempt,
  runId,
  harness,
  model,
  at,
  strength,
  feedback,
  claim,
}: Evidence): string {
  const who = `${markdownInline(harness)} on ${markdownInline(model)}`;
  const when = markdownInline(at.slice(0, 10));
  const said = claimInWords(claim ?? {});
  return `attempt ${attempt} of run ${markdownCode(runId)}, ${who}, ${when}, ${strength}, feedback: ${feedback}${said === '' ? '' : `; its file says: ${said}`}`;
}

function standingInWords({ support, failures }: Standing): string {
  const tasks = `${support} ${support === 1 ? 'task supports' : 'tasks support'} it`;
  return failures === 0
    ? tasks
    : `${tasks}, ${failures} ${failures === 1 ? 'speaks' : 'speak'} against it`;
}

function paragraphs(texts: readonly string[]): string {
  return `${texts.filter((text) => text !== '').join('\n\n')}\n\n`;
}
