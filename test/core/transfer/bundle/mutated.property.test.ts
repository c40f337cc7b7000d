import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { canonicalJson } from '../../../../src/core/canonical.ts';
import { BundleError } from '../../../../src/core/transfer/bundle/bundle-error.ts';
import { MANIFEST_PATH } from '../../../../src/core/transfer/bundle/bundle-format.ts';
import { isFull, LIMIT_MS, noteCounts } from '../../full-counts.ts';
import { bundleBank, type BundleBank } from './bundle-bank.ts';
import { filesOf, linesIn, withLines, withLog, withText, zipOf, type Files } from './forge.ts';
import { bytesOf, exported, imported } from './memory-bundle.ts';

/** Bundles of each kind. */
const numRuns = isFull ? 10_000 : 125;
/** Each try of an encrypted one costs 600,000 rounds. */
const sealedRuns = numRuns / 25;
const orderRuns = numRuns / 5;

let bank: BundleBank;
let bytes: Uint8Array<ArrayBuffer>;
let sealedBytes: Uint8Array<ArrayBuffer>;
let files: Files;

beforeAll(async () => {
  bank = bundleBank(31, 40);
  const { file } = await exported(bank, { sources: true });
  bytes = await bytesOf(file);
  files = await filesOf(file);
  sealedBytes = await bytesOf((await exported(bank, { passphrase: 'words' })).file);
}, 60_000);

/** What a bank is, in short: its images are what their hashes say, as each import checks. */
function printOf({ manifest, head, entries, images }: BundleBank): string {
  return canonicalJson({ manifest, head, entries, images: [...images.keys()].toSorted() });
}

/** The bank that a file gives, or undefined where it is refused; anything but a refusal fails the test. */
async function outcomeOf(file: Blob, passphrase?: string): Promise<BundleBank | undefined> {
  try {
    return await imported(file, passphrase);
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    expect(error.message).toMatch(/^(This|A) .*[.?]$/su);
    return undefined;
  }
}

/** One change of bytes: bits flipped, a piece cut out, put in, said twice, or the end cut off. */
const byteChanges = fc.array(
  fc.record({
    kind: fc.nat(5),
    /** Half of the time near the end, where the directory is; most bytes lie in images. */
    at: fc.nat(0xffff_ffff),
    nearEnd: fc.boolean(),
    length: fc.integer({ min: 1, max: 64 }),
    value: fc.nat(255),
  }),
  { minLength: 1, maxLength: 3 },
);

function changeBytes(
  original: Uint8Array<ArrayBuffer>,
  changes: readonly { kind: number; at: number; nearEnd: boolean; length: number; value: number }[],
): Uint8Array<ArrayBuffer> {
  let changed = [...original];
  for (const { kind, at, nearEnd, length, value } of changes) {
    const span = nearEnd ? Math.min(changed.length, 4000) : changed.length;
    const start = changed.length - span + (at % Math.max(1, span));
    const piece = changed.slice(start, start + length);
    if (kind === 0) changed[start] = (changed[start] ?? 0) ^ (1 << (value & 7));
    else if (kind === 1) changed.splice(start, length);
    else if (kind === 2) changed.splice(start, 0, ...Array<number>(length).fill(value));
    else if (kind === 3) changed.splice(start, 0, ...piece);
    else if (kind === 4) changed = changed.slice(0, start);
    else changed[start] = value;
  }
  return Uint8Array.from(changed);
}

test(
  'a bundle with any bytes changed is refused as such, or gives the very same bank',
  async (context) => {
    await fc.assert(
      fc.asyncProperty(byteChanges, async (changes) => {
        const outcome = await outcomeOf(new Blob([changeBytes(bytes, changes)]));
        if (outcome !== undefined) expect(printOf(outcome)).toBe(printOf(bank));
      }),
      { seed: 20261202, numRuns },
    );
    noteCounts(context, { bundles: numRuns });
  },
  LIMIT_MS,
);

test(
  'an encrypted bundle with any bytes changed is refused as such',
  async (context) => {
    await fc.assert(
      fc.asyncProperty(byteChanges, async (changes) => {
        const changed = changeBytes(sealedBytes, changes);
        fc.pre(Buffer.compare(changed, sealedBytes) !== 0);
        expect(await outcomeOf(new Blob([changed]), 'words')).toBeUndefined();
      }),
      { seed: 20261203, numRuns: sealedRuns },
    );
    noteCounts(context, { bundles: sealedRuns });
  },
  LIMIT_MS,
);

/** What stands in for a piece of JSON. */
const values = fc.oneof(
  fc.constantFrom(
    null,
    true,
    0,
    -1,
    1e308,
    1.5,
    '',
    'root',
    'n000001',
    '__proto__',
    '\ud800',
    [],
    {},
  ),
  fc.string({ maxLength: 12 }),
  fc.json({ maxDepth: 2 }).map((text): unknown => JSON.parse(text)),
);

const jsonChange = fc.record({
  path: fc.array(fc.nat(999), { maxLength: 8 }),
  kind: fc.nat(4),
  value: values,
});
type JsonChange = typeof jsonChange extends fc.Arbitrary<infer T> ? T : never;

/** A value with one part of it, found by walking down `path`, changed, dropped, doubled or moved. */
function changeJson(value: unknown, { path, kind, value: by }: JsonChange): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== 'object' || value === null) return by;
  const keys = Object.keys(value);
  const key = keys[step % Math.max(1, keys.length)];
  if (key === undefined) return by;
  const member: unknown = Reflect.get(value, key);
  const isLeaf = typeof member !== 'object' || member === null || rest.length === 0;
  const changed =
    isLeaf && kind === 0 ? undefined : changeJson(member, { path: rest, kind, value: by });
  if (Array.isArray(value)) {
    const at = Number(key);
    if (isLeaf && kind === 0) return value.toSpliced(at, 1);
    if (isLeaf && kind === 1) return value.toSpliced(at, 0, member);
    return value.with(at, changed);
  }
  if (isLeaf && kind === 2) return { ...value, [`${key}x`]: by };
  return { ...value, [key]: changed };
}

/** What was taken in is a bank like any other: written again, it comes in again. */
async function expectSound(outcome: BundleBank): Promise<void> {
  const { file } = await exported(outcome, { sources: true });
  expect(printOf(await imported(file))).toBe(printOf(outcome));
}

const lineChange = fc.record({ line: fc.nat(999), change: jsonChange });

test(
  'a bundle whose log says anything else, in a chain that holds, is refused or is sound',
  async (context) => {
    let sound = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(lineChange, { minLength: 1, maxLength: 2 }),
        fc.boolean(),
        async (changes, isCareful) => {
          let entries: unknown[] = [...bank.entries];
          for (const { line, change } of changes) {
            const at = line % entries.length;
            entries = entries.with(at, changeJson(entries[at], change));
          }
          let changed: Files;
          try {
            changed = isCareful
              ? withLog(files, entries)
              : withLines(
                  files,
                  entries.map((entry) => JSON.stringify(entry) ?? ''),
                );
          } catch {
            // What canonical JSON cannot say cannot be sealed.
            changed = withLines(
              files,
              entries.map((entry) => JSON.stringify(entry) ?? ''),
            );
          }
          const outcome = await outcomeOf(zipOf(changed));
          if (outcome === undefined) return;
          sound += 1;
          await expectSound(outcome);
        },
      ),
      { seed: 20261204, numRuns },
    );
    // Else the forger was never careful enough to test what lies behind the chain.
    expect(sound).toBeGreaterThan(0);
    noteCounts(context, { bundles: numRuns, sound });
  },
  LIMIT_MS,
);

test(
  'a bundle whose manifest or entries are changed, dropped, doubled or swapped is refused or is sound',
  async (context) => {
    const paths = [...files.keys()];
    await fc.assert(
      fc.asyncProperty(
        jsonChange,
        fc.nat(5),
        fc.nat(999),
        fc.nat(999),
        async (change, kind, first, second) => {
          const path = paths[first % paths.length] ?? '';
          const other = paths[second % paths.length] ?? '';
          const content = files.get(path) ?? new Uint8Array();
          let changed: Iterable<readonly [string, Uint8Array<ArrayBuffer>]> = files;
          if (kind <= 2) {
            const manifest: unknown = JSON.parse(
              new TextDecoder().decode(files.get(MANIFEST_PATH)),
            );
            const text =
              JSON.stringify(changeJson(manifest, change), null, kind === 0 ? 0 : 2) ?? '';
            changed = withText(files, MANIFEST_PATH, `${text}\n`);
          } else if (kind === 3) changed = [...files].filter(([name]) => name !== path);
          else if (kind === 4) changed = [...files, [other, content]];
          else
            changed = [...files].map(
              ([name, old]) => [name, name === other ? content : old] as const,
            );
          const outcome = await outcomeOf(zipOf(changed));
          if (outcome !== undefined) await expectSound(outcome);
        },
      ),
      { seed: 20261205, numRuns },
    );
    noteCounts(context, { bundles: numRuns });
  },
  LIMIT_MS,
);

test(
  'the lines of a log in any other order, or number, are refused',
  async (context) => {
    const lines = linesIn(files);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(lines), async (shuffled) => {
        fc.pre(canonicalJson(shuffled) !== canonicalJson(lines));
        expect(await outcomeOf(zipOf(withLines(files, shuffled)))).toBeUndefined();
      }),
      { seed: 20261206, numRuns: orderRuns },
    );
    noteCounts(context, { bundles: orderRuns });
  },
  LIMIT_MS,
);
