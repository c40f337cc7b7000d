import { hashBytes, type Hash } from '../../canonical.ts';
import type { BundleMediaType, ImageKind } from './bundle-format.ts';
import { BUNDLE_LIMITS } from './bundle-limits.ts';
import { inspectImage } from './inspect-image.ts';
import type { ImageClaim } from './log-index.ts';

/** Why an image does not travel: it stays out of an export, and an import that holds it is refused. */
export type ImageRefusal =
  'missing' | 'too-large' | 'damaged' | 'not-an-image' | 'has-metadata' | 'not-as-described';

/** Whether an image is the one that the log tells of, and fit to travel. */
export type ImageVerdict =
  | { readonly ok: true; readonly mediaType: BundleMediaType }
  | { readonly ok: false; readonly reason: ImageRefusal };

/**
 * Checks the bytes of an image by their hash, their structure and what the log says of them. Pixels
 * are not decoded: a decoder meets them where they are shown, as it meets any image.
 */
export function checkImage(
  hash: Hash,
  bytes: Uint8Array | undefined,
  { agrees, width, height, mediaType }: ImageClaim,
): ImageVerdict {
  if (bytes === undefined) return no('missing');
  if (bytes.byteLength > BUNDLE_LIMITS.imageBytes) return no('too-large');
  if (hashBytes(bytes) !== hash) return no('damaged');
  const facts = inspectImage(bytes);
  if (facts === undefined) return no('not-an-image');
  if (facts.hasMetadata) return no('has-metadata');
  const isDescribed =
    agrees &&
    facts.width === width &&
    facts.height === height &&
    (mediaType === null || facts.mediaType === mediaType);
  return isDescribed ? { ok: true, mediaType: facts.mediaType } : no('not-as-described');
}

/** Completes "an image that …". */
export function imageRefusalText(reason: ImageRefusal): string {
  return {
    missing: 'is not stored',
    'too-large': `is larger than ${BUNDLE_LIMITS.imageBytes} bytes`,
    damaged: 'is not what its name says',
    'not-an-image': 'is no whole PNG, JPEG or WebP',
    'has-metadata': 'carries metadata (EXIF, XMP, comments or bytes after its end)',
    'not-as-described': 'has another size or type than the log says',
  }[reason];
}

function no(reason: ImageRefusal): ImageVerdict {
  return { ok: false, reason };
}

/** Which kind of image each hash of an index is, in the order of a bundle: crops, then sources; ascending. */
export function imagesInOrder(index: {
  readonly crops: ReadonlyMap<Hash, ImageClaim>;
  readonly sources: ReadonlyMap<Hash, ImageClaim>;
}): readonly { readonly kind: ImageKind; readonly hash: Hash; readonly claim: ImageClaim }[] {
  const of = (kind: ImageKind, claims: ReadonlyMap<Hash, ImageClaim>) =>
    [...claims]
      .sort(([first], [second]) => (first < second ? -1 : 1))
      .map(([hash, claim]) => ({ kind, hash, claim }));
  return [...of('crop', index.crops), ...of('image', index.sources)];
}
