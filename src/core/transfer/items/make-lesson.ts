import type { LessonContent } from '../../bank/node.ts';
import { shorten } from '../../organize/rules/group-title.ts';
import { accept, refuse, type Refusal, type Result } from '../../result.ts';
import type { ItemOrigin } from './item-origin.ts';
import { deriveTitle, foldText, MOST_TITLE_CHARS } from './lesson-text.ts';

/** What an item says in the words of a lesson, before it is checked. */
export interface LessonParts extends Omit<LessonContent, 'crop'> {
  readonly origin: ItemOrigin;
}

/** A lesson from outside, and what its content cannot say. Its crop is null: no pixels came with it. */
export interface ImportedLesson {
  readonly content: LessonContent;
  readonly origin: ItemOrigin;
}

export interface MadeLesson extends ImportedLesson {
  /** The item's own title was too long; it stands whole in `origin.title`. */
  readonly titleShortened: boolean;
}

/** More text than this is no lesson, in characters (Unicode code points) of all members together. */
export const MOST_LESSON_CHARS = 20_000;

/**
 * A lesson of what an item says: text trimmed and well-formed, a title made where there is none.
 * Text is never cut: one that is too long is refused whole.
 */
export function makeLesson({
  origin,
  ...parts
}: LessonParts): Result<MadeLesson, Refusal<'no-text' | 'too-long'>> {
  const clean = (text: string) => text.toWellFormed().trim();
  const guidance = clean(parts.guidance);
  if (guidance === '') return refuse('no-text', 'it says nothing', 'guidance');
  const title = foldText(clean(parts.title));
  const cautions = parts.cautions.map(clean).filter((caution) => caution !== '');
  const content: LessonContent = {
    title: title === '' ? deriveTitle(guidance) : shorten(title, MOST_TITLE_CHARS),
    guidance,
    appliesWhen: clean(parts.appliesWhen),
    cautions,
    topic: clean(parts.topic),
    scope: clean(parts.scope),
    anchor: clean(parts.anchor),
    crop: null,
  };
  const length = textLength(content);
  if (length > MOST_LESSON_CHARS) {
    return refuse(
      'too-long',
      `its text has ${length} characters; a lesson holds at most ${MOST_LESSON_CHARS}`,
      'guidance',
    );
  }
  const titleShortened = title !== '' && content.title !== title;
  return accept({
    content,
    origin: titleShortened ? { ...origin, title } : origin,
    titleShortened,
  });
}

function textLength(content: LessonContent): number {
  const { guidance, appliesWhen, cautions, topic, scope, anchor } = content;
  return [guidance, appliesWhen, ...cautions, topic, scope, anchor].reduce(
    (total, text) => total + [...text].length,
    0,
  );
}
