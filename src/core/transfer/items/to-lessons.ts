import { lessonContentHash } from '../../bank/node.ts';
import { refuse, unreachable, type Refusal, type Result } from '../../result.ts';
import {
  operationLesson,
  operationsOf,
  type DeltaBatch,
  type DeltaOperation,
} from '../ace/ace-delta.ts';
import { bulletLesson } from '../ace/ace-playbook.ts';
import { skillLesson } from '../ace/ace-skillbook.ts';
import { groveLesson } from './grove-lessons.ts';
import type { ItemFile } from './item-file.ts';
import {
  makeLesson,
  type ImportedLesson,
  type LessonParts,
  type MadeLesson,
} from './make-lesson.ts';
import { makeProblemList, type ItemProblem } from '../text/problem.ts';
import { reasoningLessons } from './reasoning-bank.ts';
import { remeLesson } from './reme.ts';

/** What became of the items of a file, in numbers. */
export interface LessonCounts {
  /** Items that were read; broken lines are in the file's problems. */
  readonly items: number;
  readonly lessons: number;
  /** Left out whole, by reason; each is also a problem, but for what is no lesson by its kind. */
  readonly noText: number;
  readonly tooLong: number;
  /** Headers, groups, and operations that bring no text. */
  readonly notLessons: number;
  /** Soft-deleted where they came from. */
  readonly inactive: number;
  /** Say the same as an earlier one; kept, since a bank counts them as one lesson. */
  readonly repeated: number;
  /** Titles cut to length; whole in `origin.title`. */
  readonly titlesShortened: number;
  /** Lessons whose crop stayed behind: a file of items holds no pixels. */
  readonly cropsLeftOut: number;
}

export interface ImportedLessons {
  readonly lessons: readonly ImportedLesson[];
  readonly counts: LessonCounts;
  readonly problems: readonly ItemProblem[];
}

/** Makes lessons of what was read, in order. Nothing goes without being counted. */
export function toLessons(file: ItemFile): ImportedLessons {
  const problems = makeProblemList();
  const lessons: ImportedLesson[] = [];
  const known = new Set<string>();
  const counts: { -readonly [Name in keyof LessonCounts]: number } = { ...NONE };
  counts.items = file.items.length;
  partsOf(file).forEach((all, index) => {
    for (const parts of all) {
      const made = makeOne(parts);
      if (!made.ok) {
        const { reason, message, path = '' } = made.refusal;
        counts[reason] += 1;
        if (reason !== 'noText' && reason !== 'tooLong') continue;
        const line = file.lines[index] ?? null;
        const where = line === null ? 'An item' : `Line ${line}`;
        const sentence = `${where} makes no lesson: ${message}.`;
        problems.add({ line, path, effect: 'left-out', message: sentence });
        continue;
      }
      const { content, origin, titleShortened } = made.value;
      const hash = lessonContentHash(content);
      if (known.has(hash)) counts.repeated += 1;
      known.add(hash);
      if (titleShortened) counts.titlesShortened += 1;
      if (origin.crop !== null) counts.cropsLeftOut += 1;
      lessons.push({ content, origin });
    }
  });
  return { lessons, counts: { ...counts, lessons: lessons.length }, problems: problems.all() };
}

const NONE: LessonCounts = {
  items: 0,
  lessons: 0,
  noText: 0,
  tooLong: 0,
  notLessons: 0,
  inactive: 0,
  repeated: 0,
  titlesShortened: 0,
  cropsLeftOut: 0,
};

function makeOne(
  parts: Parts,
): Result<MadeLesson, Refusal<'noText' | 'tooLong' | 'notLessons' | 'inactive'>> {
  if (parts === 'no-lesson') return refuse('notLessons', 'it is no lesson');
  if (isInactive(parts)) return refuse('inactive', 'its own system had deleted it');
  const made = makeLesson(parts);
  if (made.ok) return made;
  const { reason, message, path } = made.refusal;
  return refuse(reason === 'no-text' ? 'noText' : 'tooLong', message, path);
}

type Parts = LessonParts | 'no-lesson';

/** What each item says, by its place in the file. */
function partsOf(file: ItemFile): readonly (readonly Parts[])[] {
  switch (file.format) {
    case 'grove-lesson':
      return file.items.map((line) => [groveLesson(line) ?? 'no-lesson']);
    case 'reasoning-bank':
      return file.items.map(reasoningLessons);
    case 'reme':
      return file.items.map((item) => [remeLesson(item)]);
    case 'ace-playbook':
      return file.items.map((bullet) => [bulletLesson(bullet)]);
    case 'ace-skillbook':
      return file.items.map((skill) => [skillLesson(skill)]);
    case 'ace-delta':
      return file.items.map(deltaParts);
    default:
      return unreachable(file);
  }
}

function deltaParts(item: DeltaOperation | DeltaBatch): readonly Parts[] {
  return operationsOf([item]).map((operation) => operationLesson(operation) ?? 'no-lesson');
}

/** A skill that its skillbook keeps only so as not to learn it again. */
function isInactive({ origin }: LessonParts): boolean {
  const status = origin.format === 'ace-skillbook' ? origin.members['status'] : undefined;
  return typeof status === 'string' && status !== 'active';
}
