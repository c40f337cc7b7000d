import { foldText } from '../items/lesson-text.ts';
import { bulletIdOf, countersOf, type DeltaOperation } from './ace-delta.ts';
import {
  bulletsOf,
  counterOf,
  sectionKey,
  type Playbook,
  type PlaybookBullet,
  type PlaybookEntry,
} from './ace-playbook.ts';

/** Why an operation changed nothing. */
export interface DeltaRefusal {
  /** Its place in the list, from 0. */
  readonly index: number;
  readonly reason: 'unknown-type' | 'no-text' | 'unknown-bullet';
  readonly message: string;
}

/**
 * A playbook after operations, one after another. ADD puts a bullet at the end of its section (made
 * at the end where there is none) with the id it names or the next free number; UPDATE sets text,
 * section and counters that it gives; TAG adds to counters; REMOVE (or DELETE) takes away. What
 * cannot be done changes nothing and is told.
 */
export function applyDelta(
  playbook: Playbook,
  operations: readonly DeltaOperation[],
): { readonly playbook: Playbook; readonly refused: readonly DeltaRefusal[] } {
  const refused: DeltaRefusal[] = [];
  let { entries } = playbook;
  operations.forEach((operation, index) => {
    const next = applyOne(entries, operation);
    if ('reason' in next) refused.push({ index, ...next });
    else entries = next.entries;
  });
  return { playbook: { entries }, refused };
}

/** What a bullet is added with, as ACE does. */
const NO_COUNTS: PlaybookBullet['counters'] = [
  ['helpful', 0],
  ['harmful', 0],
];

type Applied =
  | { readonly entries: readonly PlaybookEntry[] }
  | { readonly reason: DeltaRefusal['reason']; readonly message: string };

function applyOne(entries: readonly PlaybookEntry[], operation: DeltaOperation): Applied {
  const type = operation.type.toUpperCase();
  if (type === 'ADD') return add(entries, operation);
  if (!['UPDATE', 'TAG', 'REMOVE', 'DELETE'].includes(type)) {
    return { reason: 'unknown-type', message: `There is no operation ${operation.type}.` };
  }
  const id = bulletIdOf(operation);
  const at = entries.findIndex((entry) => entry.type === 'bullet' && entry.id === id);
  const old = entries[at];
  if (old?.type !== 'bullet') {
    return { reason: 'unknown-bullet', message: `There is no bullet ${id ?? 'without an id'}.` };
  }
  if (type === 'REMOVE' || type === 'DELETE') return { entries: entries.toSpliced(at, 1) };
  if (type === 'TAG')
    return { entries: entries.with(at, { ...old, counters: addCounters(old, operation) }) };
  const content = foldText(operation.content ?? '');
  const changed: PlaybookBullet = {
    ...old,
    text: content === '' ? old.text : (operation.content ?? '').trim(),
    counters: setCounters(old.counters, countersOf(operation)),
  };
  const section = foldText(operation.section ?? '');
  if (section === '' || sectionKey(section) === sectionKey(old.section)) {
    return { entries: entries.with(at, changed) };
  }
  return { entries: insert(entries.toSpliced(at, 1), { ...changed, section }) };
}

function add(entries: readonly PlaybookEntry[], operation: DeltaOperation): Applied {
  const content = (operation.content ?? '').trim();
  if (content === '') return { reason: 'no-text', message: 'An ADD without content adds nothing.' };
  const section = foldText(operation.section ?? '') || 'OTHERS';
  const bullets = bulletsOf({ entries });
  const wanted = bulletIdOf(operation);
  const isFree =
    wanted !== null && /^[^\]\s]+$/u.test(wanted) && !bullets.some(({ id }) => id === wanted);
  const bullet: PlaybookBullet = {
    type: 'bullet',
    id: isFree ? wanted : nextId(bullets, section),
    counters: setCounters(NO_COUNTS, countersOf(operation)),
    text: content,
    section,
    mark: bullets[0]?.mark ?? '',
    line: 0,
  };
  return { entries: insert(entries, bullet) };
}

/** At the end of its section, which is made at the end where there is none. */
function insert(
  entries: readonly PlaybookEntry[],
  bullet: PlaybookBullet,
): readonly PlaybookEntry[] {
  const key = sectionKey(bullet.section);
  const heading = entries.findLastIndex(
    (entry) => entry.type === 'section' && sectionKey(entry.title) === key,
  );
  const head = entries[heading];
  if (head?.type !== 'section') {
    return [...entries, { type: 'section', title: bullet.section, level: 2 }, bullet];
  }
  const after = entries.findIndex((entry, at) => at > heading && entry.type === 'section');
  return entries.toSpliced(after < 0 ? entries.length : after, 0, {
    ...bullet,
    section: head.title,
  });
}

function nextId(bullets: readonly PlaybookBullet[], section: string): string {
  const numbers = bullets.map(({ id }) => Number(/-(\d{1,15})$/u.exec(id)?.[1] ?? 0));
  const next = numbers.reduce((most, number) => Math.max(most, number), 0) + 1;
  const inSection = bullets.find((bullet) => sectionKey(bullet.section) === sectionKey(section));
  const slug =
    inSection?.id.replace(/-[^-]*$/u, '') ?? sectionKey(section).replace(/[^a-z0-9_]+/gu, '');
  return `${slug === '' ? 'item' : slug}-${String(next).padStart(5, '0')}`;
}

function setCounters(
  counters: PlaybookBullet['counters'],
  given: readonly (readonly [string, number])[],
): PlaybookBullet['counters'] {
  return [...new Map([...counters, ...given])];
}

function addCounters(old: PlaybookBullet, operation: DeltaOperation): PlaybookBullet['counters'] {
  const sums = countersOf(operation).map(([name, step]): [string, number] => [
    name,
    (counterOf(old, name) ?? 0) + step,
  ]);
  return setCounters(old.counters, sums);
}
