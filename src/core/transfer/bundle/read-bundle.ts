import type { LogEntry } from '../../bank/operation.ts';
import { canonicalJson, type Hash } from '../../canonical.ts';
import { bundleError } from './bundle-error.ts';
import {
  imagePath,
  LOG_PATH,
  MANIFEST_PATH,
  NODES_PATH,
  parseImagePath,
  parseManifest,
  type BundleManifest,
  type BundleMediaType,
  type BundleMigration,
  type ReadManifest,
} from './bundle-format.ts';
import { BUNDLE_LIMITS } from './bundle-limits.ts';
import { bundleCounter, type BundleCounter, type BundleRun } from './bundle-progress.ts';
import { checkImage, imageRefusalText, imagesInOrder } from './image-check.ts';
import { logChecker, type CheckedLog } from './log-check.ts';
import { countNodes, nodeLines } from './node-lines.ts';
import { countImage } from './write-bundle.ts';

/** The entries of a bundle, whatever holds them. Each call throws `BundleError` where the bytes do not come out. */
export interface BundleFiles {
  /** Every entry with its unpacked size in bytes, as the container claims it. */
  readonly sizes: ReadonlyMap<string, number>;
  /** A whole entry as text. */
  text(path: string): Promise<string>;
  /** An entry line by line, each ended by a line feed, with the bytes they took. */
  lines(path: string): AsyncIterable<{ readonly lines: readonly string[]; readonly bytes: number }>;
  /** A whole entry that is stored unpacked. */
  bytes(path: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** Where what was checked goes, piece by piece; nothing of it is to be shown before the end. */
export interface BundleTarget {
  takeEntries(entries: readonly LogEntry[]): Promise<void>;
  takeImage(image: {
    readonly hash: Hash;
    readonly mediaType: BundleMediaType;
    readonly bytes: Uint8Array<ArrayBuffer>;
  }): Promise<void>;
}

/** A bundle whose manifest was read: the log comes next, then the images. */
export interface OpenBundle extends ReadManifest {
  readonly files: BundleFiles;
  readonly counter: BundleCounter;
}

/**
 * Reads a bundle's manifest, and refuses entries that belong to no bundle.
 *
 * @throws BundleError.
 */
export async function openBundle(
  files: BundleFiles,
  run: BundleRun = {},
  migrations?: readonly BundleMigration[],
): Promise<OpenBundle> {
  const { sizes } = files;
  const manifestBytes = sizes.get(MANIFEST_PATH);
  if (manifestBytes === undefined) {
    throw bundleError('not-a-bundle', { entry: MANIFEST_PATH }, { what: 'has no manifest' });
  }
  if (manifestBytes > BUNDLE_LIMITS.manifestBytes) {
    throw bundleError('too-large', { entry: MANIFEST_PATH }, { what: 'has a huge manifest' });
  }
  const read = parseManifest(await files.text(MANIFEST_PATH), migrations);
  for (const path of [LOG_PATH, NODES_PATH]) {
    if (!sizes.has(path)) throw bundleError('damaged', { entry: path }, { what: 'lacks an entry' });
  }
  let bytesTotal = 0;
  for (const [path, bytes] of sizes) {
    const isImage = parseImagePath(path) !== undefined;
    if (!isImage && path !== MANIFEST_PATH && path !== LOG_PATH && path !== NODES_PATH) {
      throw bundleError('does-not-belong', { entry: path }, { what: 'holds a foreign entry' });
    }
    if (bytes > (isImage ? BUNDLE_LIMITS.imageBytes : BUNDLE_LIMITS.textBytes)) {
      throw bundleError('too-large', { entry: path }, { what: `claims ${bytes} bytes` });
    }
    if (path !== MANIFEST_PATH) bytesTotal += bytes;
  }
  if (read.manifest.head.seq > BUNDLE_LIMITS.entries) {
    throw bundleError('too-large', { entry: MANIFEST_PATH }, { what: 'claims too long a log' });
  }
  return { ...read, files, counter: bundleCounter(run, bytesTotal) };
}

/**
 * Reads the log and the nodes: each line, the chain, the replay, every invariant, the head, and that
 * the nodes are the ones derived from it.
 *
 * @throws BundleError; whatever the target throws; the signal's reason.
 */
export async function readLog(
  { manifest, nodesAgree, files, counter }: OpenBundle,
  target: Pick<BundleTarget, 'takeEntries'>,
): Promise<CheckedLog> {
  const checker = logChecker(manifest.bank);
  counter.begin('log', manifest.head.seq);
  for await (const { lines, bytes } of files.lines(LOG_PATH)) {
    const entries = checker.takeLines(lines);
    if (entries.length > 0) await target.takeEntries(entries);
    counter.advance({ done: entries.length, bytes });
  }
  const log = checker.end(manifest.head);
  if (canonicalJson(log.index.lineage) !== canonicalJson(manifest.lineage)) {
    const place = { entry: MANIFEST_PATH, path: 'lineage' };
    throw bundleError('bad-manifest', place, { what: 'names another lineage than its log' });
  }
  counter.begin('nodes', log.tree.nodes.size);
  const expected = nodeLines(log.tree);
  let line = 0;
  for await (const piece of files.lines(NODES_PATH)) {
    for (const text of piece.lines) {
      line += 1;
      if (nodesAgree && text !== expected.next().value) throw nodesDiffer(line);
    }
    counter.advance({ done: piece.lines.length, bytes: piece.bytes });
  }
  if (nodesAgree && expected.next().done !== true) throw nodesDiffer(line + 1);
  return log;
}

const nodesDiffer = (line: number) =>
  bundleError(
    'nodes-differ',
    { entry: NODES_PATH, line },
    { what: 'shows nodes that its log does not tell' },
  );

/**
 * Reads the images: each one's hash, structure and size, that every one the log names is here or is
 * said to be left out, that none is here besides, and that the manifest counts what there is.
 *
 * @throws BundleError; whatever the target throws; the signal's reason.
 */
export async function readImages(
  { manifest, files, counter }: OpenBundle,
  { index, tree }: CheckedLog,
  target: Pick<BundleTarget, 'takeImage'>,
): Promise<void> {
  const { sources, leftOut } = manifest;
  const wanted = imagesInOrder(index).filter(({ kind }) => sources || kind === 'crop');
  checkLeftOut(manifest, wanted);
  const missing = { crop: new Set(leftOut.crops), image: new Set(leftOut.images) };
  const present = wanted.filter(({ kind, hash }) => !missing[kind].has(hash));
  const counts = { crops: 0, cropBytes: 0, images: 0, imageBytes: 0 };
  counter.begin('images', present.length);
  checkPaths(files, present);
  for (const { kind, hash, claim } of present) {
    const path = pathOf(files, kind, hash);
    if (path === undefined) {
      const entry = imagePath(kind, hash, 'image/png');
      throw bundleError('missing-image', { entry }, { what: 'lacks an image that its log names' });
    }
    const bytes = await files.bytes(path);
    const verdict = checkImage(hash, bytes, claim);
    const reason = verdict.ok ? null : verdict.reason;
    if (!verdict.ok || imagePath(kind, hash, verdict.mediaType) !== path) {
      const what = `holds an image that ${imageRefusalText(reason ?? 'not-as-described')}`;
      throw bundleError('bad-image', { entry: path }, { what });
    }
    await target.takeImage({ hash, mediaType: verdict.mediaType, bytes });
    countImage(counts, kind, bytes.byteLength);
    counter.advance({ done: 1, bytes: bytes.byteLength });
  }
  if (canonicalJson({ ...countNodes(tree), ...counts }) !== canonicalJson(manifest.counts)) {
    const place = { entry: MANIFEST_PATH, path: 'counts' };
    throw bundleError('bad-manifest', place, { what: 'counts other things than it holds' });
  }
}

/** Reads a whole bundle, checking all of it; for a target that needs no look in between. */
export async function readBundle(
  files: BundleFiles,
  target: BundleTarget,
  run: BundleRun = {},
): Promise<{ readonly manifest: BundleManifest; readonly log: CheckedLog }> {
  const bundle = await openBundle(files, run);
  const log = await readLog(bundle, target);
  await readImages(bundle, log, target);
  return { manifest: bundle.manifest, log };
}

const MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;

function pathOf(files: BundleFiles, kind: 'crop' | 'image', hash: Hash): string | undefined {
  return MEDIA_TYPES.map((mediaType) => imagePath(kind, hash, mediaType)).find((path) =>
    files.sizes.has(path),
  );
}

/** What is left out is named once, ascending, and is something the log names. */
function checkLeftOut(
  { leftOut, sources }: BundleManifest,
  wanted: readonly { readonly kind: 'crop' | 'image'; readonly hash: Hash }[],
): void {
  for (const [kind, key] of [
    ['crop', 'crops'],
    ['image', 'images'],
  ] as const) {
    const named = new Set(wanted.flatMap((image) => (image.kind === kind ? [image.hash] : [])));
    const hashes = leftOut[key];
    const sound = hashes.every(
      (hash, at) => named.has(hash) && (at === 0 || (hashes[at - 1] ?? '') < hash),
    );
    if (sound && (sources || kind === 'crop' || hashes.length === 0)) continue;
    const place = { entry: MANIFEST_PATH, path: `leftOut.${key}` };
    throw bundleError('bad-manifest', place, { what: 'leaves out what its log does not name' });
  }
}

/** Every image entry is one that the log names. */
function checkPaths(
  { sizes }: BundleFiles,
  present: readonly { readonly kind: 'crop' | 'image'; readonly hash: Hash }[],
): void {
  const left = new Set(present.map(({ kind, hash }) => `${kind} ${hash}`));
  for (const path of sizes.keys()) {
    const image = parseImagePath(path);
    if (image === undefined || left.delete(`${image.kind} ${image.hash}`)) continue;
    const what = 'holds an image that no lesson names';
    throw bundleError('does-not-belong', { entry: path }, { what });
  }
}
