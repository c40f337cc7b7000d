import type { BankManifest } from '../../bank/operation.ts';
import type { Hash } from '../../canonical.ts';
import type { LogHead } from '../../ports.ts';
import type { ImageKind, Lineage } from './bundle-format.ts';
import { imagesInOrder } from './image-check.ts';
import type { CheckedLog } from './log-check.ts';
import { countNodes } from './node-lines.ts';

/** An image that would leave, and its size in bytes. */
export interface PreviewedImage {
  readonly kind: ImageKind;
  readonly hash: Hash;
  readonly bytes: number;
}

/** What an export would let out, before it does. */
export interface ExportPreview {
  readonly bank: Pick<BankManifest, 'id' | 'name' | 'localOnly'>;
  readonly head: LogHead;
  readonly entries: number;
  readonly lessons: number;
  /** Retired lessons leave too: the log says them. */
  readonly retired: number;
  readonly groups: number;
  /** Tasks, harnesses, backbones, models, and who wrote entries (names of people among them). */
  readonly lineage: Lineage;
  /** Questions that lessons came from, whole, ascending: the text most likely to be private. */
  readonly questions: readonly string[];
  /** Crops, and source images where asked for. Names of image files never leave, only hashes. */
  readonly images: readonly PreviewedImage[];
  /** Images that the log names and that are not stored. */
  readonly missing: readonly { readonly kind: ImageKind; readonly hash: Hash }[];
  /** About how large the file will be. */
  readonly estimatedBytes: number;
}

/** How far text of this kind packs, as measured over generated banks. */
const PACKING = 8;
/** What the zip says of an entry: two headers and its name twice. */
const BYTES_AN_ENTRY = 230;

/** What an export of a checked bank would let out. `sizes` has the stored size of each image there is. */
export function previewOf(
  bank: { readonly manifest: BankManifest; readonly head: LogHead; readonly log: CheckedLog },
  stored: {
    readonly sizes: ReadonlyMap<Hash, number>;
    readonly textBytes: number;
    readonly sources: boolean;
  },
): ExportPreview {
  const { manifest, head, log } = bank;
  const wanted = imagesInOrder(log.index).filter(({ kind }) => stored.sources || kind === 'crop');
  const images = wanted.flatMap(({ kind, hash }) => {
    const bytes = stored.sizes.get(hash);
    return bytes === undefined ? [] : [{ kind, hash, bytes }];
  });
  const missing = wanted.flatMap(({ kind, hash }) =>
    stored.sizes.has(hash) ? [] : [{ kind, hash }],
  );
  const imageBytes = images.reduce((sum, { bytes }) => sum + bytes + BYTES_AN_ENTRY, 0);
  const { id, name, localOnly } = manifest;
  return {
    bank: { id, name, localOnly },
    head,
    entries: head.seq,
    ...countNodes(log.tree),
    lineage: log.index.lineage,
    questions: log.index.questions,
    images,
    missing,
    estimatedBytes: Math.ceil(imageBytes + stored.textBytes / PACKING + 1000),
  };
}
