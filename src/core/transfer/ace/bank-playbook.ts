import {
  bulletsOf,
  type Playbook,
  type PlaybookBullet,
  type PlaybookEntry,
} from './ace-playbook.ts';
import type { DeltaOperation } from './ace-delta.ts';
import { deltaBetween } from './delta-between.ts';
import { addUp } from '../../bank/claim.ts';
import { IMPORT_HARNESS } from '../../bank/node.ts';
import { bulletId, OWN_ID, type BankEntry } from '../items/bank-entries.ts';
import { bulletText, foldText } from '../items/lesson-text.ts';

/** The section of lessons that lie in no group. */
export const OTHERS = 'OTHERS';

/**
 * Lessons of a bank as a playbook: a section for each group with lessons, named by its path; support
 * as `helpful`, failures as `harmful`, on top of what a file that brought the lesson counted. Text is folded to one line, as ACE reads lines. What a bullet
 * cannot say is left out: topic, scope, anchor, crop and evidence.
 */
export function* playbookEntries(
  entries: Iterable<BankEntry>,
): Generator<PlaybookEntry, void, undefined> {
  let section = '';
  for (const entry of entries) {
    const bullet = bulletOf(entry);
    if (bullet.section !== section) {
      section = bullet.section;
      yield { type: 'section', title: section, level: 2 };
    }
    yield bullet;
  }
}

/** Which bullets of an earlier playbook a delta removes where the bank has no such lesson. */
export type RemovePolicy = 'own' | 'all' | 'none';

/**
 * A bank as operations against an earlier playbook. A bullet that stands for a lesson of Grove is
 * known by its id; another one that says the same is left as it is, with its own counters. `own`,
 * the default, removes only what stands for lessons of Grove: a bank does not speak for others.
 */
export function deltaFromPlaybook(
  earlier: Playbook,
  entries: Iterable<BankEntry>,
  { remove = 'own' }: { readonly remove?: RemovePolicy } = {},
): readonly DeltaOperation[] {
  const others = new Map(
    bulletsOf(earlier)
      .filter(({ id }) => !id.startsWith(OWN_ID))
      .map((bullet) => [foldText(bullet.text), bullet]),
  );
  const ids = new Set(bulletsOf(earlier).map(({ id }) => id));
  function* later() {
    for (const entry of entries) {
      const bullet = bulletOf(entry);
      yield (ids.has(bullet.id) ? undefined : others.get(bullet.text)) ?? bullet;
    }
  }
  return deltaBetween(earlier, later(), ({ id }) =>
    remove === 'own' ? id.startsWith(OWN_ID) : remove === 'all',
  );
}

function bulletOf(entry: BankEntry): PlaybookBullet {
  const { id, content, groups } = entry;
  const path = groups.map(({ title }) => foldText(title)).join(' › ');
  return {
    type: 'bullet',
    id: bulletId(id),
    counters: countersOf(entry),
    text: bulletText(content),
    section: path === '' ? OTHERS : path,
    mark: '',
    line: 0,
  };
}

/** What its files counted and what was counted here since. What neither counted is no counter. */
function countersOf({ own, claim, lesson }: BankEntry): PlaybookBullet['counters'] {
  const isImported = lesson?.evidence.some(({ harness }) => harness === IMPORT_HARNESS) === true;
  const here = { helpful: own.support, harmful: own.failures, neutral: 0 };
  return (['helpful', 'harmful', 'neutral'] as const).flatMap((name): [string, number][] => {
    const said = claim[name];
    if (said !== undefined) return [[name, addUp(said, here[name])]];
    const isCounted = here[name] > 0 || (!isImported && name !== 'neutral');
    return isCounted ? [[name, here[name]]] : [];
  });
}
