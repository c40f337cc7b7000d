import { EMPTY_LOG, headOf, makeEntries, type Step } from '../../../src/core/bank/log.ts';
import {
  lessonContentHash,
  ROOT_ID,
  type Lesson,
  type Summary,
} from '../../../src/core/bank/node.ts';
import {
  defaultManifest,
  type Actor,
  type BankManifest,
  type LogEntry,
  type NewGroup,
} from '../../../src/core/bank/operation.ts';
import { hashBytes, type Hash } from '../../../src/core/canonical.ts';
import type { Crop } from '../../../src/core/memory.ts';
import { encodePng } from '../../../src/core/metro/png.ts';
import { seededRandom, type Random } from '../../../src/core/metro/random.ts';
import type { LogHead } from '../../../src/core/ports.ts';

/** A bank as it grew: its whole log, and the crops that its lessons show. */
export interface LargeBank {
  readonly manifest: BankManifest;
  readonly head: LogHead;
  readonly entries: readonly LogEntry[];
  readonly crops: ReadonlyMap<Hash, Uint8Array<ArrayBuffer>>;
}

export interface LargeBankSize {
  readonly lessons: number;
  /** How many of the lessons show a crop of their own. */
  readonly crops: number;
  readonly seed: number;
}

const AT = '2026-01-01T00:00:00.000Z';
const HARNESS: Actor = { kind: 'harness', name: 'grove' };
const ORGANIZER: Actor = { kind: 'organizer', name: 'rules' };
/** Children of every group; a bank takes 12. */
const CHILDREN = 10;
/** Lessons of one maintenance step. */
const BATCH = 20;
const WORDS =
  'legend line colour station transfer count stop dashed night service express branch axis total receipt price row column label sign entrance exit before after every never compare the of a where which read first second under above beside marked number'.split(
    ' ',
  );

/**
 * A bank grown as Grove grows one: steps of twenty lessons, placed as a batch, each full group
 * consolidated. The same sizes and seed give the same bank, down to the hash of its head.
 */
export function largeBank({ lessons, crops, seed }: LargeBankSize): LargeBank {
  const random = seededRandom(seed);
  const name = `Bench ${lessons} lessons`;
  const manifest = defaultManifest({ id: `bench-${lessons}-${crops}`, name, createdAt: AT });
  const levels = Math.max(1, Math.ceil(Math.log10(lessons)) - 1);
  const images = new Map<Hash, Uint8Array<ArrayBuffer>>();
  const groups = new Set([ROOT_ID]);
  const entries: LogEntry[] = [];
  for (let first = 0; first < lessons; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, lessons - first) }, (_, at) => first + at);
    const added = numbers.map((number) => {
      const hasCrop =
        Math.floor(((number + 1) * crops) / lessons) > Math.floor((number * crops) / lessons);
      const shown = hasCrop ? cropOf(random, number) : null;
      if (shown !== null) images.set(shown.crop.hash, shown.bytes);
      return lessonOf(random, number, shown?.crop ?? null);
    });
    const steps: Step[] = [
      ...added.map((lesson): Step => ({ operation: { type: 'add-lesson', lesson }, by: HARNESS })),
      placing(numbers, { levels, groups, random }),
      ...consolidating(numbers, { levels, random }),
    ];
    const last = entries.at(-1);
    const head = last === undefined ? EMPTY_LOG : headOf(last);
    entries.push(...makeEntries(head, steps, { step: first / BATCH + 1, at: AT }));
  }
  const last = entries.at(-1);
  return { manifest, entries, crops: images, head: last === undefined ? EMPTY_LOG : headOf(last) };
}

/** The groups above a lesson, the root's child first: ids made of the number's leading digits. */
function groupsAbove(number: number, levels: number): readonly string[] {
  return Array.from({ length: levels }, (_, level) => {
    const index = Math.floor(number / CHILDREN ** (levels - level));
    return `g${level}-${index}`;
  });
}

const lessonId = (number: number) => `l${String(number).padStart(7, '0')}`;

function placing(
  numbers: readonly number[],
  { levels, groups, random }: { levels: number; groups: Set<string>; random: Random },
): Step {
  const made: NewGroup[] = [];
  const assignments = numbers.map((number) => {
    let parent = ROOT_ID;
    for (const id of groupsAbove(number, levels)) {
      if (!groups.has(id))
        made.push({ id, parent, title: text(random, 4), scope: text(random, 8) });
      groups.add(id);
      parent = id;
    }
    return { lesson: lessonId(number), under: parent };
  });
  return { operation: { type: 'place', groups: made, assignments }, by: ORGANIZER };
}

/** A summary for each group that these lessons have filled, resting on its last lessons. */
function consolidating(
  numbers: readonly number[],
  { levels, random }: { levels: number; random: Random },
): readonly Step[] {
  return numbers.flatMap((number) =>
    groupsAbove(number, levels).flatMap((group, level): readonly Step[] => {
      const below = CHILDREN ** (levels - level);
      if ((number + 1) % below !== 0) return [];
      const supportedBy = Array.from({ length: CHILDREN }, (_, at) => lessonId(number - at));
      const summary: Summary = {
        text: text(random, 40),
        procedure: [text(random, 10), text(random, 12)],
        conditions: text(random, 9),
        conflicts: [],
        supportedBy,
      };
      return [{ operation: { type: 'consolidate', group, summary }, by: ORGANIZER }];
    }),
  );
}

function lessonOf(random: Random, number: number, crop: Crop | null): Lesson {
  const content = {
    title: `${text(random, 6)} ${number}`,
    guidance: text(random, 60 + random.below(60)),
    appliesWhen: text(random, 14),
    cautions: [text(random, 10)],
    topic: text(random, 2),
    scope: text(random, 8),
    anchor: `${text(random, 14)}?`,
    crop,
  };
  return {
    kind: 'lesson',
    id: lessonId(number),
    parent: null,
    content,
    contentHash: lessonContentHash(content),
    evidence: [
      {
        taskId: hashBytes(Uint8Array.of(number >> 24, number >> 16, number >> 8, number)),
        runId: `run-${number}`,
        attempt: 1 + random.below(5),
        harness: random.pick(['direct', 'react', 'team']),
        backbone: 'remote',
        model: random.pick(['qwen3.5-2b', 'qwen3.5-9b']),
        tool: 'none',
        at: AT,
        feedback: 'none',
        strength: random.pick(['judged', 'unverified']),
        supports: true,
      },
    ],
    status: 'active',
    trust: 'trusted',
    revises: null,
  };
}

function text(random: Random, words: number): string {
  return Array.from({ length: words }, () => random.pick(WORDS)).join(' ');
}

/** A PNG of 2 to 30 kB, as crops of charts and maps are: flat areas, with marks and small print. */
function cropOf(
  random: Random,
  number: number,
): { readonly crop: Crop; readonly bytes: Uint8Array<ArrayBuffer> } {
  const [width, height] = [160 + random.below(240), 120 + random.below(160)];
  const pixels = new Uint8Array(width * height);
  // What is printed small packs badly: its share sets the size of the file.
  const printed = Math.floor(height * (0.05 + random.below(75) / 100));
  for (let at = 0; at < pixels.length; at += 1) {
    const row = Math.floor(at / width);
    pixels[at] = row < printed ? random.below(8) : Math.floor((at % width) / 40) % 3;
  }
  const palette = Array.from({ length: 8 }, () => random.below(0x1000000));
  const bytes = encodePng({ width, height, pixels, palette, indexes: new Map(), mixes: new Map() });
  const crop: Crop = {
    hash: hashBytes(bytes),
    mediaType: 'image/png',
    width,
    height,
    sourceHash: hashBytes(Uint8Array.of(7, number >> 16, number >> 8, number)),
    sourceWidth: width * 4,
    sourceHeight: height * 4,
    box: [0.25, 0.25, 0.5, 0.5],
  };
  return { crop, bytes };
}
