import type { LessonDraft } from '../core/run.ts';
import { accept, refuse, type Refusal, type Result } from '../core/result.ts';
import type { ItemFormat } from '../core/transfer/items/item-origin.ts';
import type { ImportedLesson } from '../core/transfer/items/make-lesson.ts';
import { readItems } from '../core/transfer/items/read-items.ts';
import { toDrafts, type DraftPlace } from '../core/transfer/items/to-drafts.ts';
import { toLessons, type LessonCounts } from '../core/transfer/items/to-lessons.ts';
import type { ItemProblem } from '../core/transfer/text/problem.ts';

/** A file of memory items, as lessons that a person may take. */
export interface ReadMemories {
  readonly format: ItemFormat;
  readonly lessons: readonly ImportedLesson[];
  readonly counts: LessonCounts;
  readonly problems: readonly ItemProblem[];
}

/** The largest file of memory items, in bytes: it is read as one text. */
const MOST_BYTES = 100 * 1000 * 1000;
const FORMAT_NAMES: Readonly<Record<ItemFormat, string>> = {
  'grove-lesson': 'Grove lessons',
  'reasoning-bank': 'ReasoningBank',
  reme: 'ReMe',
  'ace-playbook': 'ACE playbook',
  'ace-skillbook': 'ACE skillbook',
  'ace-delta': 'ACE delta',
};

/** A format as people call it. */
function formatName(format: ItemFormat): string {
  return FORMAT_NAMES[format];
}

/** Whether a file is a bank bundle, by its first bytes or, where those are damaged, by its name. */
export async function isBundleFile(file: File): Promise<boolean> {
  const head = new TextDecoder('latin1').decode(await file.slice(0, 8).arrayBuffer());
  return head.startsWith('PK') || head === 'GROVEBOX' || /\.grove$/iu.test(file.name);
}

/** Reads a file of memory items of any known format. */
export async function readMemories(file: File): Promise<Result<ReadMemories, Refusal>> {
  if (file.size > MOST_BYTES) {
    return refuse(
      'too-large',
      `It has ${Math.round(file.size / 1e6)} MB; a file of memory items may have at most ${MOST_BYTES / 1e6}. Split it.`,
    );
  }
  const read = readItems(await file.text());
  if (!read.ok) return read;
  const { lessons, counts, problems } = toLessons(read.value);
  return accept({
    format: read.value.format,
    lessons,
    counts,
    problems: [...read.value.problems, ...problems],
  });
}

/** What was read, as drafts of a bank's inbox. */
export function draftsOf(
  { lessons, format }: ReadMemories,
  into: Omit<DraftPlace, 'tool'>,
): readonly LessonDraft[] {
  return toDrafts(lessons, { ...into, tool: formatName(format) });
}
