import { applyOperation } from '../../../../src/core/bank/apply.ts';
import { EMPTY_LOG, headOf, makeEntries, type Step } from '../../../../src/core/bank/log.ts';
import { ROOT_ID } from '../../../../src/core/bank/node.ts';
import type { BankManifest, LogEntry, Operation } from '../../../../src/core/bank/operation.ts';
import { childrenOf, emptyTree, getGroup } from '../../../../src/core/bank/tree.ts';
import { hashBytes, type Hash } from '../../../../src/core/canonical.ts';
import type { Crop } from '../../../../src/core/memory.ts';
import { encodePng } from '../../../../src/core/metro/png.ts';
import { seededRandom } from '../../../../src/core/metro/random.ts';
import { logIndexer } from '../../../../src/core/transfer/bundle/log-index.ts';
import type { LogHead } from '../../../../src/core/ports.ts';
import {
  AT,
  evidenceOf,
  HARNESS,
  lessonOf,
  manifestOf,
  PERSON,
  summaryOf,
} from '../../bank/material.ts';

/** A bank with the images it names. */
export interface BundleBank {
  readonly manifest: BankManifest;
  readonly head: LogHead;
  readonly entries: readonly LogEntry[];
  readonly images: ReadonlyMap<Hash, Uint8Array<ArrayBuffer>>;
}

/** Numbers from 0 up to 1 that follow from `seed`. */
function randomOf(seed: number): () => number {
  const random = seededRandom(seed);
  return () => random.below(0x1000_0000) / 0x1000_0000;
}

/** A PNG whose pixels follow from `seed`. */
export function pngOf(seed: number, width = 32, height = 28): Uint8Array<ArrayBuffer> {
  const random = randomOf(seed);
  const pixels = Uint8Array.from({ length: width * height }, () => Math.floor(random() * 4));
  const palette = [0xffffff, 0x202020, seed & 0xffffff, 0xaa];
  return encodePng({ width, height, pixels, palette, indexes: new Map(), mixes: new Map() });
}

/** A crop and its source, whose pixels follow from `seed`. */
export function cropOf(seed: number): {
  readonly crop: Crop;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly source: Uint8Array<ArrayBuffer>;
} {
  const bytes = pngOf(seed);
  const source = pngOf(1_000_000 + (seed >> 1), 64, 56);
  const crop: Crop = {
    hash: hashBytes(bytes),
    mediaType: 'image/png',
    width: 32,
    height: 28,
    sourceHash: hashBytes(source),
    sourceWidth: 64,
    sourceHeight: 56,
    box: [0.25, 0.25, 0.75, 0.75],
  };
  return { crop, bytes, source };
}

/**
 * A bank of about `size` operations drawn from `seed`: lessons with and without crops, revised, retired,
 * supported by second sources, placed in groups, summarised, held, answered with outcomes, undone.
 */
export function bundleBank(seed: number, size = 40): BundleBank {
  const random = randomOf(seed);
  const pick = <T>(of: readonly T[]): T | undefined => of[Math.floor(random() * of.length)];
  const images = new Map<Hash, Uint8Array<ArrayBuffer>>();
  const manifest = manifestOf({ id: `bank-${seed}`, name: `Bänk ${seed} 線` });
  const steps: Step[] = [];
  let tree = emptyTree(manifest);
  const tryStep = (operation: Operation | null) => {
    const by = random() < 0.2 ? PERSON : HARNESS;
    const applied = operation && applyOperation(tree, operation, by);
    if (operation === null || applied === null || !applied.ok) return;
    tree = applied.value.tree;
    steps.push({ operation, by });
    const { inverse } = applied.value;
    if (inverse?.type !== 'restore' || random() > 0.05) return;
    const back = applyOperation(tree, { ...inverse, of: steps.length }, by);
    if (!back.ok) return;
    tree = back.value.tree;
    steps.push({ operation: { ...inverse, of: steps.length }, by });
  };
  const newLesson = (id: string, revises: string | null) => {
    const drawn = random() < 0.5 ? cropOf(Math.floor(random() * size)) : null;
    if (drawn !== null) {
      images.set(drawn.crop.hash, drawn.bytes);
      images.set(drawn.crop.sourceHash, drawn.source);
    }
    const content = { crop: drawn?.crop ?? null, anchor: `Wie viele Stops? “${id}”` };
    return lessonOf(id, content, { revises });
  };
  for (let turn = 0; turn < size; turn += 1) {
    const nodes = [...tree.nodes.entries()].map(([, node]) => node);
    const lesson = pick(nodes.filter(({ kind }) => kind === 'lesson'))?.id ?? 'none';
    const group = pick(nodes.filter(({ kind }) => kind === 'group'))?.id ?? ROOT_ID;
    const id = `n${String(turn).padStart(6, '0')}`;
    const kind = Math.floor(random() * 16);
    if (kind < 6) tryStep({ type: 'add-lesson', lesson: newLesson(id, null) });
    else if (kind < 8) tryStep(placing(id, lesson, group, random() < 0.5));
    else if (kind === 8) {
      tryStep({ type: 'revise-lesson', predecessor: lesson, lesson: newLesson(id, lesson) });
    } else if (kind === 9) tryStep({ type: 'retire-lesson', lesson, reason: 'old' });
    else if (kind === 10) {
      tryStep({ type: 'support-lesson', lesson, evidence: evidenceOf(id, { model: 'another' }) });
    } else if (kind === 11) {
      const below = childrenOf(tree, group).filter((child) => getGroup(tree, child) === undefined);
      tryStep({ type: 'consolidate', group, summary: summaryOf(below) });
    } else if (kind === 12) tryStep({ type: 'set-trust', lessons: [lesson], trust: 'held' });
    else if (kind === 13) {
      const outcome = { retrievalId: id, nodeId: lesson, taskId: id } as const;
      const rest = { result: 'success', strength: 'judged' } as const;
      tryStep({ type: 'record-outcome', outcome: { ...outcome, ...rest } });
    } else if (kind === 14) {
      tryStep({ type: 'revise-group', group, title: `${id} “neu”`, scope: '' });
    } else {
      tryStep({ type: 'merge', groups: [group, lesson], into: id, title: id, scope: '' });
    }
  }
  const entries = makeEntries(EMPTY_LOG, steps, { step: 1, at: AT });
  const last = entries.at(-1);
  // Some lessons were refused; their images belong to no bank.
  const indexer = logIndexer();
  for (const entry of entries) indexer.add(entry);
  const { crops, sources } = indexer.end();
  for (const hash of images.keys()) {
    if (!crops.has(hash) && !sources.has(hash)) images.delete(hash);
  }
  return { manifest, entries, images, head: last === undefined ? EMPTY_LOG : headOf(last) };
}

function placing(id: string, lesson: string, group: string, isNew: boolean): Operation {
  const groups = isNew ? [{ id, parent: group, title: `Group ${id}`, scope: '' }] : [];
  return { type: 'place', groups, assignments: [{ lesson, under: isNew ? id : group }] };
}
