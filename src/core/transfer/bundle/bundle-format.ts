import { z } from 'zod';
import { bankManifestSchema } from '../../bank/operation.ts';
import { canonicalJson, type Hash } from '../../canonical.ts';
import { BundleError, bundleError } from './bundle-error.ts';
import { checkShape, checkTexts } from './bundle-limits.ts';

/** What the manifest of every bundle calls itself, and the newest form this Grove reads and writes. */
export const BUNDLE_FORMAT = 'grove-bundle';
export const BUNDLE_VERSION = 1;

/** The file name's end. */
export const BUNDLE_EXTENSION = '.grove';

/** Where things lie in the zip, in the order they are written. Images follow by hash, ascending. */
export const LOG_PATH = 'log.jsonl';
export const NODES_PATH = 'nodes.jsonl';
export const MANIFEST_PATH = 'manifest.json';

/** Crops, and whole source images where a person asked for them. */
export type ImageKind = 'crop' | 'image';

/** The formats an image in a bundle may have, and how its name ends. */
const EXTENSIONS = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;
export type BundleMediaType = keyof typeof EXTENSIONS;

const FOLDERS: Readonly<Record<ImageKind, string>> = { crop: 'crops', image: 'images' };
const IMAGE_PATH = /^(?<folder>crops|images)\/(?<hash>[0-9a-f]{64})\.(?<extension>png|jpg|webp)$/u;

/** Where an image lies: `crops/<hash>.png`. */
export function imagePath(kind: ImageKind, hash: Hash, mediaType: BundleMediaType): string {
  return `${FOLDERS[kind]}/${hash}.${EXTENSIONS[mediaType]}`;
}

/** What an image's path says of it; undefined for any other path. */
export function parseImagePath(
  path: string,
): { readonly kind: ImageKind; readonly hash: Hash } | undefined {
  const { folder, hash } = IMAGE_PATH.exec(path)?.groups ?? {};
  if (hash === undefined) return undefined;
  return { kind: folder === 'crops' ? 'crop' : 'image', hash };
}

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/u);
const count = z.int().nonnegative();
const names = z.array(z.string());

/** What a bank grew from, over its whole log: distinct values, ascending. */
export const lineageSchema = z.object({
  /** Distinct source tasks. */
  tasks: count,
  harnesses: names,
  backbones: names,
  models: names,
  tools: names,
  /** Feedback that was used: `reference` marks a bank made from known answers. */
  feedback: names,
  /** Who wrote entries, as `kind: name`. Names of people are among them. */
  actors: names,
});
export type Lineage = z.infer<typeof lineageSchema>;

export const bundleManifestSchema = z.object({
  format: z.literal(BUNDLE_FORMAT),
  formatVersion: z.literal(BUNDLE_VERSION),
  bank: bankManifestSchema,
  /** The last entry of the log: what the whole of it is recognised by. */
  head: z.object({ seq: count, hash: hashSchema }),
  counts: z.object({
    /** Active lessons, retired ones, and groups with the root. */
    lessons: count,
    retired: count,
    groups: count,
    crops: count,
    cropBytes: count,
    images: count,
    imageBytes: count,
  }),
  lineage: lineageSchema,
  /** Whether whole source images are meant to be in it. */
  sources: z.boolean(),
  /** Images that the log names and that are not here: missing, damaged, or carrying metadata. Ascending. */
  leftOut: z.object({ crops: z.array(hashSchema), images: z.array(hashSchema) }),
});
export type BundleManifest = z.infer<typeof bundleManifestSchema>;

/** How a bundle of an older form is read as one of the next. The log is never changed: its hashes are its truth. */
export interface BundleMigration {
  readonly from: number;
  manifest(json: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Whether `nodes.jsonl` of that form still says what is derived today; else it is not compared. */
  readonly nodesAgree: boolean;
}

/** Every migration there has been, oldest first; a released one is never edited. */
export const BUNDLE_MIGRATIONS: readonly BundleMigration[] = [];

/** The manifest as the text that is written: keys sorted, indented, so that people can read it. */
export function renderManifest(manifest: BundleManifest): string {
  return `${JSON.stringify(JSON.parse(canonicalJson(manifest)), null, 2)}\n`;
}

const headerSchema = z.looseObject({
  format: z.literal(BUNDLE_FORMAT),
  formatVersion: z.int().nonnegative(),
});

/** A manifest that was read, and whether the bundle's nodes are to be compared. */
export interface ReadManifest {
  readonly manifest: BundleManifest;
  readonly nodesAgree: boolean;
}

/**
 * Reads a manifest, older ones through the migrations.
 *
 * @throws BundleError `not-a-bundle`, `newer-format`, `bad-manifest`, `too-large`.
 */
export function parseManifest(
  text: string,
  migrations: readonly BundleMigration[] = BUNDLE_MIGRATIONS,
): ReadManifest {
  const header = headerSchema.safeParse(parseJson(text));
  if (!header.success) {
    throw new BundleError('not-a-bundle', 'This file is not a Grove bundle: it has no manifest.', {
      place: { entry: MANIFEST_PATH },
    });
  }
  const { formatVersion } = header.data;
  if (formatVersion > BUNDLE_VERSION) {
    throw new BundleError(
      'newer-format',
      `This bundle was made by a newer Grove (its form is ${formatVersion}, this Grove reads up to ${BUNDLE_VERSION}). Update this Grove to take it in.`,
      { place: { entry: MANIFEST_PATH, path: 'formatVersion' } },
    );
  }
  let json: Readonly<Record<string, unknown>> = header.data;
  let nodesAgree = true;
  for (let version = formatVersion; version < BUNDLE_VERSION; version += 1) {
    const migration = migrations.find(({ from }) => from === version);
    if (migration === undefined) {
      const what = `has form ${formatVersion}, which no Grove ever wrote`;
      throw bundleError('bad-manifest', { entry: MANIFEST_PATH, path: 'formatVersion' }, { what });
    }
    json = { ...migration.manifest(json), formatVersion: version + 1 };
    nodesAgree = nodesAgree && migration.nodesAgree;
  }
  const manifest = checkManifest(json);
  if (formatVersion === BUNDLE_VERSION && renderManifestSafely(manifest) !== text) {
    const what = 'has a manifest with members or a form that Grove does not write';
    throw bundleError('bad-manifest', { entry: MANIFEST_PATH }, { what });
  }
  return { manifest, nodesAgree };
}

/**
 * A manifest within its bounds; also of an export, before it is written.
 *
 * @throws BundleError `bad-manifest` naming the path, `too-large`.
 */
export function checkManifest(json: unknown): BundleManifest {
  const parsed = bundleManifestSchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = issue?.path.join('.') ?? '';
    const what = `has a manifest that does not fit: ${issue?.message ?? 'unknown'}`;
    throw bundleError(
      'bad-manifest',
      { entry: MANIFEST_PATH, path },
      { what, cause: parsed.error },
    );
  }
  checkTexts(parsed.data, { entry: MANIFEST_PATH });
  checkShape(parsed.data.bank, { entry: MANIFEST_PATH });
  return parsed.data;
}

/** Undefined where it holds what JSON cannot say, such as half a surrogate pair. */
function renderManifestSafely(manifest: BundleManifest): string | undefined {
  try {
    return renderManifest(manifest);
  } catch {
    return undefined;
  }
}

/** The value of a JSON text, undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
