import type { Organizer } from '../../../src/core/organize/organizer.ts';

/** What one ask showed: how many groups and lessons. */
export interface Seen {
  readonly asked: 'place' | 'merge' | 'split' | 'consolidate';
  readonly groups: number;
  readonly lessons: number;
}

/** An organizer that does what another does, and how much it was shown. */
export function watched(inner: Organizer): {
  readonly organizer: Organizer;
  readonly seen: readonly Seen[];
} {
  const seen: Seen[] = [];
  const count = (lists: readonly { readonly lessons: readonly unknown[] }[]) =>
    lists.reduce((sum, { lessons }) => sum + lessons.length, 0);
  const organizer: Organizer = {
    ...inner,
    id: 'watched',
    label: 'Watched',
    place(input, caller) {
      const lessons = input.lessons.length + count(input.groups);
      seen.push({ asked: 'place', groups: input.groups.length, lessons });
      return inner.place(input, caller);
    },
    merge(input, caller) {
      seen.push({ asked: 'merge', groups: input.groups.length, lessons: count(input.groups) });
      return inner.merge(input, caller);
    },
    split(input, caller) {
      seen.push({ asked: 'split', groups: input.children.length, lessons: count(input.children) });
      return inner.split(input, caller);
    },
    consolidate(input, caller) {
      seen.push({ asked: 'consolidate', groups: 1, lessons: input.lessons.length });
      return inner.consolidate(input, caller);
    },
  };
  return { organizer, seen };
}
