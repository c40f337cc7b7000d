import { originOf } from '../items/item-origin.ts';
import { eachLine } from '../text/json-records.ts';
import { foldText, splitBullet } from '../items/lesson-text.ts';
import type { LessonParts } from '../items/make-lesson.ts';
import { makeProblemList, type ItemProblem, type ProblemList } from '../text/problem.ts';

/** `[id] helpful=N harmful=M :: text`. Counters are in the order of the file, and may be missing. */
export interface PlaybookBullet {
  readonly type: 'bullet';
  readonly id: string;
  readonly counters: readonly (readonly [name: string, count: number])[];
  /** More than one line where lines that are no bullets follow it. */
  readonly text: string;
  /** The heading it stands under; empty before the first. */
  readonly section: string;
  /** How the line begins: nothing, or a list mark. */
  readonly mark: '' | '- ' | '* ';
  readonly line: number;
}

export type PlaybookEntry =
  | PlaybookBullet
  | { readonly type: 'section'; readonly title: string; readonly level: number }
  /** A line that is neither, kept where it stands. */
  | { readonly type: 'text'; readonly text: string };

/** An ACE playbook as it lies in its file, blank lines apart. */
export interface Playbook {
  readonly entries: readonly PlaybookEntry[];
}

const BULLET = /^\s*(?:([-*]) )?\[([^\]\s]+)\]\s+(\S.*)$/u;
const COUNTERS = /^((?:[a-z][a-z_]{0,39}=\d{1,15}\s+)+)::(?:\s+(.*))?$/u;
const HEADING = /^\s*(#{1,6})\s+(\S.*)$/u;
/** What bullets of playbooks are called: a slug of the section and a number, or a lesson of Grove's. */
const BULLET_ID = /^(?:[A-Za-z][\w.&-]*-\d+|grove-\S+)$/u;

/** Whether a text is a playbook: a line is a bullet whose id is a slug and a number. */
export function isPlaybook(text: string): boolean {
  for (const { text: line } of eachLine(text)) {
    if (BULLET_ID.test(BULLET.exec(line)?.[2] ?? '')) return true;
  }
  return false;
}

/** Reads any text as a playbook. Nothing is left out; what is odd is a problem and stays. */
export function readPlaybook(text: string): {
  readonly playbook: Playbook;
  readonly problems: readonly ItemProblem[];
} {
  const problems = makeProblemList();
  /** A bullet with the lines that follow it, joined once at the end: there may be millions. */
  const found: { readonly entry: PlaybookEntry; readonly more: string[] }[] = [];
  const ids = new Set<string>();
  let section = '';
  let afterBlank = true;
  for (const { text: raw, line } of eachLine(text)) {
    const heading = HEADING.exec(raw);
    const last = found.at(-1);
    if (heading !== null) {
      section = (heading[2] ?? '').trim();
      const level = (heading[1] ?? '').length;
      found.push({ entry: { type: 'section', title: section, level }, more: [] });
    } else if (BULLET.test(raw)) {
      const bullet = readBullet(raw, { section, line, problems });
      if (ids.has(bullet.id)) tell(problems, line, `the id ${bullet.id} is there twice`);
      ids.add(bullet.id);
      found.push({ entry: bullet, more: [] });
    } else if (raw.trim() !== '' && last?.entry.type === 'bullet' && !afterBlank) {
      last.more.push(raw.trimEnd());
      tell(problems, line, `it is no bullet, and is taken as part of ${last.entry.id} above it`);
    } else if (raw.trim() !== '') {
      found.push({ entry: { type: 'text', text: raw.trimEnd() }, more: [] });
      tell(problems, line, 'it is no bullet and no heading, so no lesson is made of it');
    }
    afterBlank = raw.trim() === '';
  }
  const entries = found.map(({ entry, more }) =>
    entry.type === 'bullet' ? { ...entry, text: [entry.text, ...more].join('\n') } : entry,
  );
  return { playbook: { entries }, problems: problems.all() };
}

/** A playbook as text. Reading it gives the same playbook, line numbers and blank lines apart. */
export function* writePlaybook(
  entries: Iterable<PlaybookEntry>,
): Generator<string, void, undefined> {
  let isFirst = true;
  let afterBullet = false;
  for (const entry of entries) {
    // A line of text straight after a bullet would be read as part of it.
    const needsBlank = entry.type === 'section' ? !isFirst : entry.type === 'text' && afterBullet;
    yield `${needsBlank ? '\n' : ''}${writeEntry(entry)}\n`;
    isFirst = false;
    afterBullet = entry.type === 'bullet';
  }
}

/** The bullets of a playbook, in order. */
export function bulletsOf({ entries }: Playbook): readonly PlaybookBullet[] {
  return entries.filter((entry) => entry.type === 'bullet');
}

/** A counter's value; null where the bullet has none of that name. */
export function counterOf(bullet: PlaybookBullet, name: string): number | null {
  return bullet.counters.find(([known]) => known === name)?.[1] ?? null;
}

/** "APIs to use", "apis_to_use:" and "APIS TO USE" are one section. */
export function sectionKey(title: string): string {
  return title
    .toLowerCase()
    .replace(/&/gu, 'and')
    .replace(/[\s_]+/gu, '_')
    .replace(/:$/u, '');
}

/** What a bullet says as a lesson: a leading "When …:" as its condition, the rest as guidance. */
export function bulletLesson(bullet: PlaybookBullet): LessonParts {
  return {
    ...splitBullet(bullet.text),
    cautions: [],
    topic: '',
    scope: '',
    anchor: '',
    origin: originOf('ace-playbook', {
      id: bullet.id,
      section: bullet.section,
      helpful: counterOf(bullet, 'helpful'),
      harmful: counterOf(bullet, 'harmful'),
      neutral: counterOf(bullet, 'neutral'),
      members: Object.fromEntries(
        bullet.counters.filter(([name]) => !['helpful', 'harmful', 'neutral'].includes(name)),
      ),
    }),
  };
}

function readBullet(
  raw: string,
  at: { readonly section: string; readonly line: number; readonly problems: ProblemList },
): PlaybookBullet {
  const [, mark, id = '', rest = ''] = BULLET.exec(raw) ?? [];
  const counted = COUNTERS.exec(rest);
  if (counted === null && /^[a-z_]{1,40}=\S*(?:\s|$)/u.test(rest)) {
    tell(at.problems, at.line, 'its counters could not be read, and stay in the text');
  }
  const counters = [...(counted?.[1] ?? '').matchAll(/(\w+)=(\d+)/gu)].map(
    ([, name = '', count = '']): [string, number] => [name, Number(count)],
  );
  const text = (counted === null ? rest : (counted[2] ?? '')).trimEnd();
  const { section, line } = at;
  return {
    type: 'bullet',
    id,
    counters,
    text,
    section,
    mark: mark === '-' ? '- ' : mark === '*' ? '* ' : '',
    line,
  };
}

function writeEntry(entry: PlaybookEntry): string {
  if (entry.type === 'section') return `${'#'.repeat(entry.level)} ${entry.title}`;
  if (entry.type === 'text') return entry.text;
  const counters = entry.counters.map(([name, count]) => `${name}=${count} `).join('');
  const text = keepsLines(entry.text) ? entry.text : foldText(entry.text);
  return `${entry.mark}[${entry.id}] ${counters === '' ? '' : `${counters}:: `}${text}`;
}

/** Whether lines after the first would be read as part of the bullet again. */
function keepsLines(text: string): boolean {
  return [...eachLine(text)]
    .slice(1)
    .every(({ text: line }) => line.trim() !== '' && !BULLET.test(line) && !HEADING.test(line));
}

function tell(problems: ProblemList, line: number, what: string): void {
  problems.add({ line, path: '', effect: 'kept', message: `Line ${line}: ${what}.` });
}
