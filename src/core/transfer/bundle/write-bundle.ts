import type { BankManifest, LogEntry } from '../../bank/operation.ts';
import type { Hash } from '../../canonical.ts';
import type { LogHead } from '../../ports.ts';
import { bundleError } from './bundle-error.ts';
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  checkManifest,
  imagePath,
  LOG_PATH,
  MANIFEST_PATH,
  NODES_PATH,
  renderManifest,
  type BundleManifest,
  type ImageKind,
} from './bundle-format.ts';
import { BUNDLE_LIMITS } from './bundle-limits.ts';
import { bundleCounter, type BundleCounter, type BundleRun } from './bundle-progress.ts';
import { checkImage, imagesInOrder, type ImageRefusal } from './image-check.ts';
import { logChecker, type CheckedLog, type LogChecker } from './log-check.ts';
import { countNodes, nodeLines } from './node-lines.ts';
import { utf8Length } from './utf8-length.ts';

/** A bank as an export reads it: all of it as it was at `head`. */
export interface BankSource {
  readonly manifest: BankManifest;
  readonly head: LogHead;
  /** The log from its first entry to the head. */
  entries(): AsyncIterable<readonly LogEntry[]>;
  /** The bytes of each of these few images, undefined where one is not stored. */
  images(hashes: readonly Hash[]): Promise<readonly (Uint8Array<ArrayBuffer> | undefined)[]>;
}

/** What a bundle is written into: one entry after another, in this order, never two at once. */
export interface BundleWriter {
  /** An entry of lines, packed; each ends in a line feed. */
  writeLines(path: string, batches: AsyncIterable<readonly string[]>): Promise<void>;
  /** An entry of text, packed. */
  writeText(path: string, text: string): Promise<void>;
  /** An entry of bytes as they are. */
  writeBytes(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

export interface WriteOptions extends BundleRun {
  /** Whole source images, too, where they are stored. By default crops alone. */
  readonly sources?: boolean;
}

/** An image that stayed out, and why. */
export interface LeftOutImage {
  readonly kind: ImageKind;
  readonly hash: Hash;
  readonly reason: ImageRefusal;
}

/** What was written. */
export interface WrittenBundle {
  readonly manifest: BundleManifest;
  readonly leftOut: readonly LeftOutImage[];
}

const NODES_A_BATCH = 256;
/** Images read at a time: they are held all at once, and a read costs about as much as some of them. */
const IMAGES_A_READ = 16;

/**
 * Writes a bank as a bundle. It is checked as it is written, by the same code that reads one, so that
 * what was written can be read; and it depends on the bank, its images and the options alone.
 *
 * @throws BundleError where the bank itself does not check or passes a limit; the signal's reason.
 */
export async function writeBundle(
  source: BankSource,
  writer: BundleWriter,
  options: WriteOptions = {},
): Promise<WrittenBundle> {
  const counter = bundleCounter(options);
  checkManifest(manifestOf(source, EMPTY_COUNTS));
  const checker = logChecker(source.manifest);
  counter.begin('log', source.head.seq);
  await writer.writeLines(LOG_PATH, logBatches(source, checker, counter));
  const log = checker.end(source.head);
  counter.begin('nodes', log.tree.nodes.size);
  await writer.writeLines(NODES_PATH, nodeBatches(log, counter));
  const sources = options.sources ?? false;
  const images = await writeImages(source, writer, { log, sources, counter });
  const { lineage } = log.index;
  const counts = { ...countNodes(log.tree), ...images.counts };
  const manifest = manifestOf(source, {
    counts,
    lineage,
    sources,
    leftOut: hashesOf(images.leftOut),
  });
  await writer.writeText(MANIFEST_PATH, renderManifest(checkManifest(manifest)));
  return { manifest, leftOut: images.leftOut };
}

type Contents = Pick<BundleManifest, 'counts' | 'lineage' | 'sources' | 'leftOut'>;

const EMPTY_COUNTS: Contents = {
  counts: { lessons: 0, retired: 0, groups: 0, crops: 0, cropBytes: 0, images: 0, imageBytes: 0 },
  lineage: {
    tasks: 0,
    harnesses: [],
    backbones: [],
    models: [],
    tools: [],
    feedback: [],
    actors: [],
  },
  sources: false,
  leftOut: { crops: [], images: [] },
};

function manifestOf({ manifest, head }: BankSource, contents: Contents): BundleManifest {
  return {
    format: BUNDLE_FORMAT,
    formatVersion: BUNDLE_VERSION,
    bank: manifest,
    head: { seq: head.seq, hash: head.hash },
    ...contents,
  };
}

async function* logBatches(source: BankSource, checker: LogChecker, counter: BundleCounter) {
  for await (const entries of source.entries()) {
    const lines = checker.takeEntries(entries);
    yield lines;
    counter.advance({ done: lines.length, bytes: bytesOf(lines) });
  }
}

async function* nodeBatches({ tree }: CheckedLog, counter: BundleCounter) {
  let batch: string[] = [];
  for (const line of nodeLines(tree)) {
    batch.push(line);
    if (batch.length < NODES_A_BATCH) continue;
    yield batch;
    counter.advance({ done: batch.length, bytes: bytesOf(batch) });
    batch = [];
  }
  yield batch;
  counter.advance({ done: batch.length, bytes: bytesOf(batch) });
}

async function writeImages(
  source: BankSource,
  writer: BundleWriter,
  { log, sources, counter }: { log: CheckedLog; sources: boolean; counter: BundleCounter },
): Promise<{ counts: ImageCounts; leftOut: LeftOutImage[] }> {
  const wanted = imagesInOrder(log.index).filter(({ kind }) => sources || kind === 'crop');
  if (wanted.length > BUNDLE_LIMITS.images) {
    const what = `would hold ${wanted.length} images`;
    throw bundleError('too-large', { entry: MANIFEST_PATH }, { what });
  }
  const counts = { crops: 0, cropBytes: 0, images: 0, imageBytes: 0 };
  const leftOut: LeftOutImage[] = [];
  counter.begin('images', wanted.length);
  for await (const { kind, hash, claim, bytes } of readEach(source, wanted)) {
    const verdict = checkImage(hash, bytes, claim);
    if (!verdict.ok || bytes === undefined) {
      leftOut.push({ kind, hash, reason: verdict.ok ? 'missing' : verdict.reason });
      counter.advance({ done: 1, bytes: 0 });
      continue;
    }
    await writer.writeBytes(imagePath(kind, hash, verdict.mediaType), bytes);
    countImage(counts, kind, bytes.byteLength);
    counter.advance({ done: 1, bytes: bytes.byteLength });
  }
  return { counts, leftOut };
}

/** Each image with its bytes, read a few at a time. */
async function* readEach<I extends { readonly hash: Hash }>(
  source: BankSource,
  images: readonly I[],
): AsyncGenerator<I & { readonly bytes: Uint8Array<ArrayBuffer> | undefined }> {
  for (let from = 0; from < images.length; from += IMAGES_A_READ) {
    const few = images.slice(from, from + IMAGES_A_READ);
    const read = await source.images(few.map(({ hash }) => hash));
    for (const [at, image] of few.entries()) yield { ...image, bytes: read[at] };
  }
}

/** How many images of each kind, and their bytes. */
export interface ImageCounts {
  crops: number;
  cropBytes: number;
  images: number;
  imageBytes: number;
}

/** Counts one image more. */
export function countImage(counts: ImageCounts, kind: ImageKind, bytes: number): void {
  counts[kind === 'crop' ? 'crops' : 'images'] += 1;
  counts[kind === 'crop' ? 'cropBytes' : 'imageBytes'] += bytes;
}

function hashesOf(leftOut: readonly LeftOutImage[]): BundleManifest['leftOut'] {
  const of = (kind: ImageKind) =>
    leftOut.flatMap((image) => (image.kind === kind ? [image.hash] : []));
  return { crops: of('crop'), images: of('image') };
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + utf8Length(line) + 1, 0);
}
