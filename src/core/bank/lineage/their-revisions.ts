import type { Lesson } from '../node.ts';
import { getLesson, type Tree } from '../tree.ts';

/** Which of their lessons revise which. */
export class TheirRevisions {
  readonly #tree: Tree;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** Whether a revision of the lesson is there. */
  has(id: string): boolean {
    return this.#successors(id).length > 0;
  }

  /** Whether the lesson, or what it was revised into in the end, is active. */
  endsActive(lesson: Lesson, seen: ReadonlySet<string> = new Set()): boolean {
    if (lesson.status === 'active') return true;
    if (seen.has(lesson.id)) return false;
    const known = new Set([...seen, lesson.id]);
    return this.#successors(lesson.id).some((each) => this.endsActive(each, known));
  }

  /** By id, but each after the one it revises. */
  inOrder(lessons: readonly Lesson[]): readonly Lesson[] {
    const waiting = new Map(
      lessons
        .toSorted((first, second) => (first.id < second.id ? -1 : 1))
        .map((lesson) => [lesson.id, lesson]),
    );
    const ordered: Lesson[] = [];
    for (const lesson of waiting.values()) {
      const line: Lesson[] = [];
      for (let at: Lesson | undefined = lesson; at !== undefined;) {
        waiting.delete(at.id);
        line.unshift(at);
        at = at.revises === null ? undefined : waiting.get(at.revises);
      }
      ordered.push(...line);
    }
    return ordered;
  }

  /** A revised lesson's former id resolves straight to what revises it. */
  #successors(id: string): readonly Lesson[] {
    return (this.#tree.aliases.get(id) ?? []).flatMap((successor) => {
      const lesson = getLesson(this.#tree, successor);
      return lesson?.revises === id ? [lesson] : [];
    });
  }
}
