import { lessonContentHash, type Lesson, type LessonContent } from '../bank/node.ts';
import type { LessonDraft } from '../run.ts';

/** A draft as a lesson of the bank, once it was accepted; `content` where a person edited it. */
export function acceptDraft(
  draft: LessonDraft,
  id: string,
  content: LessonContent = draft.content,
): Lesson {
  return {
    kind: 'lesson',
    id,
    parent: null,
    content,
    contentHash: lessonContentHash(content),
    evidence: [draft.source],
    status: 'active',
    trust: 'trusted',
    revises: null,
  };
}
