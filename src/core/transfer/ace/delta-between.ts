import type { DeltaOperation } from './ace-delta.ts';
import {
  bulletsOf,
  counterOf,
  sectionKey,
  type Playbook,
  type PlaybookBullet,
  type PlaybookEntry,
} from './ace-playbook.ts';

/**
 * The operations that make `later` of `earlier`, bullets known by their ids: applied to `earlier`
 * they give the bullets of `later` with their sections and counters, if not in the same order. Text
 * between bullets is not part of it. `mayRemove` says which bullets that are gone are to be removed.
 */
export function deltaBetween(
  earlier: Playbook,
  later: Iterable<PlaybookEntry>,
  mayRemove: (bullet: PlaybookBullet) => boolean = () => true,
): readonly DeltaOperation[] {
  const before = new Map(bulletsOf(earlier).map((bullet) => [bullet.id, bullet]));
  const operations: DeltaOperation[] = [];
  const met = new Set<string>();
  for (const bullet of later) {
    if (bullet.type !== 'bullet') continue;
    const { id } = bullet;
    const old = before.get(id);
    if (met.has(id)) continue;
    met.add(id);
    operations.push(...(old === undefined ? [addition(bullet)] : changes(old, bullet)));
  }
  for (const bullet of before.values()) {
    if (!met.has(bullet.id) && mayRemove(bullet)) {
      operations.push({ type: 'REMOVE', section: bullet.section, bullet_id: bullet.id });
    }
  }
  return operations;
}

function addition({ id, section, text: content, counters }: PlaybookBullet): DeltaOperation {
  return {
    type: 'ADD',
    section,
    content,
    bullet_id: id,
    ...(counters.length === 0 ? {} : { metadata: Object.fromEntries(counters) }),
  };
}

function changes(old: PlaybookBullet, bullet: PlaybookBullet): readonly DeltaOperation[] {
  const { id, section } = bullet;
  const names = [...new Set([...old.counters, ...bullet.counters].map(([name]) => name))];
  const steps = names.map((name): [string, number, number] => {
    const now = counterOf(bullet, name) ?? 0;
    return [name, now - (counterOf(old, name) ?? 0), now];
  });
  const lower = steps
    .filter(([, step]) => step < 0)
    .map(([name, , now]): [string, number] => [name, now]);
  const higher = steps
    .filter(([, step]) => step > 0)
    .map(([name, step]): [string, number] => [name, step]);
  const isSame =
    old.text === bullet.text &&
    sectionKey(old.section) === sectionKey(section) &&
    lower.length === 0;
  return [
    ...(isSame
      ? []
      : [
          {
            type: 'UPDATE',
            section,
            content: bullet.text,
            bullet_id: id,
            ...(lower.length === 0 ? {} : { metadata: Object.fromEntries(lower) }),
          },
        ]),
    ...(higher.length === 0
      ? []
      : [{ type: 'TAG', section, bullet_id: id, metadata: Object.fromEntries(higher) }]),
  ];
}
