import { claimOf, type Claim } from '../../bank/claim.ts';
import { IMPORT_HARNESS, lessonContentHash } from '../../bank/node.ts';
import { hashJson } from '../../canonical.ts';
import type { LessonDraft } from '../../run.ts';
import type { ItemOrigin } from './item-origin.ts';
import type { ImportedLesson } from './make-lesson.ts';

/** Where imported lessons go, and what they came in. */
export interface DraftPlace {
  readonly bankId: string;
  readonly fileName: string;
  /** The format, as people call it. */
  readonly tool: string;
  /** ISO 8601. */
  readonly at: string;
  nextId(): string;
}

/**
 * Lessons from outside as drafts of the inbox: nobody has verified them, and a person decides on each.
 * What their own system counted stays with them as its claim.
 */
export function toDrafts(
  lessons: readonly ImportedLesson[],
  into: DraftPlace,
): readonly LessonDraft[] {
  return lessons.map(({ content, origin }) => {
    const id = into.nextId();
    const runId = `import-${id}`;
    const claim = claimIn(origin);
    const item = (origin.id ?? '').toWellFormed();
    return {
      id,
      runId,
      bankId: into.bankId,
      content,
      heldFor: 'from-outside',
      source: {
        taskId: hashJson({ import: item, content: lessonContentHash(content) }),
        runId,
        attempt: 0,
        harness: IMPORT_HARNESS,
        backbone: into.fileName.toWellFormed(),
        model: (origin.author ?? '').toWellFormed(),
        tool: into.tool,
        at: into.at,
        feedback: 'none',
        strength: 'unverified',
        supports: true,
        ...(Object.keys(claim).length === 0
          ? {}
          : { claim: item === '' ? claim : { id: item, ...claim } }),
      },
    };
  });
}

/** What an item says of itself; a lesson of another Grove bank hands on what its own files said. */
function claimIn(origin: ItemOrigin): Claim {
  const { helpful, harmful, neutral, score, freq, utility } = origin;
  return {
    ...claimOf(origin.evidence),
    ...(helpful === null ? {} : { helpful }),
    ...(harmful === null ? {} : { harmful }),
    ...(neutral === null ? {} : { neutral }),
    ...(score === null ? {} : { score }),
    ...(freq === null ? {} : { freq }),
    ...(utility === null ? {} : { utility }),
  };
}
