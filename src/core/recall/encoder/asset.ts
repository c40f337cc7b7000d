import { z } from 'zod';
import { accept, refuse, type Refusal, type Result } from '../../result.ts';
import { ascii } from './ascii.ts';
import { checksum } from './checksum.ts';
import type { EncoderId } from '../index/recall-types.ts';
import { WordTable } from './word-table.ts';

/** The first four bytes of an asset. */
export const MAGIC = 'GENC';
export const VERSION = 1;
/** Scales are stored in steps of this, weights in steps of a 65,535th. */
export const SCALE_STEP = 2 ** -22;
export const WEIGHT_STEP = 1 / 65_535;

/** Bytes before the header. */
const START = 16;

/** What an asset says of itself (models/encoder/README.md). */
const headerSchema = z.object({
  id: z.string().min(1),
  /** SHA-256 of all that follows the header. */
  revision: z.string().regex(/^[0-9a-f]{64}$/u),
  dimension: z.int().min(1).max(4096),
  words: z.int().min(1).max(1_000_000),
  letters: z.int().min(1),
});

/** Word vectors as they lie in an asset; a dimension is `vectors[word * dimension + at] * scale`. */
export interface EncoderAsset {
  readonly provenance: EncoderId;
  /** Words by frequency, the most frequent first. */
  readonly words: WordTable;
  readonly scales: Uint16Array;
  /** How much a word says, 0 to 1: rare words more. */
  readonly weights: Uint16Array;
  readonly vectors: Int8Array;
  /** The direction that all texts share, of length 1. */
  readonly common: Float32Array;
}

export type AssetRefusal = Refusal<'not-an-encoder' | 'newer-version' | 'damaged'>;

/**
 * Reads an encoder's asset. Arrays are views of `bytes`, which must not change afterwards; where they
 * do not begin at a multiple of 4 in their buffer, they are copied first.
 */
export function decodeAsset(given: Uint8Array): Result<EncoderAsset, AssetRefusal> {
  const bytes = given.byteOffset % 4 === 0 ? given : given.slice();
  if (bytes.length < START || ascii(bytes.subarray(0, 4)) !== MAGIC) {
    return refuse('not-an-encoder', 'This file is no text encoder.');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4, true);
  if (version > VERSION) {
    return refuse('newer-version', `The encoder's format is ${version}; Grove reads ${VERSION}.`);
  }
  const headerLength = view.getUint32(8, true);
  if (checksum(bytes.subarray(START)) !== view.getUint32(12, true)) {
    return damaged('its checksum is another');
  }
  const header = readHeader(bytes.subarray(START, START + headerLength));
  if (header === null) return damaged('its header cannot be read');
  const sections = sectionsOf(header, START + headerLength);
  if (sections.end !== bytes.length) return damaged('its length is not what its header says');
  const lengths = bytes.subarray(sections.lengths, sections.letters);
  if (lengths.reduce((sum, length) => sum + length, 0) !== header.letters) {
    return damaged('its words do not add up');
  }
  const at = (section: number) => bytes.byteOffset + section;
  return accept({
    provenance: { id: header.id, dimension: header.dimension, revision: header.revision },
    common: new Float32Array(bytes.buffer, at(sections.common), header.dimension),
    scales: new Uint16Array(bytes.buffer, at(sections.scales), header.words),
    weights: new Uint16Array(bytes.buffer, at(sections.weights), header.words),
    vectors: new Int8Array(bytes.buffer, at(sections.vectors), header.words * header.dimension),
    words: new WordTable(bytes.subarray(sections.letters), lengths),
  });
}

type Header = z.infer<typeof headerSchema>;

function readHeader(bytes: Uint8Array): Header | null {
  let value: unknown;
  try {
    value = JSON.parse(ascii(bytes));
  } catch {
    return null;
  }
  const parsed = headerSchema.safeParse(value);
  return parsed.success && bytes.length % 4 === 0 ? parsed.data : null;
}

/** Where each section begins, in the order of the file. */
function sectionsOf({ dimension, words, letters }: Header, start: number) {
  const common = start;
  const scales = common + 4 * dimension;
  const weights = scales + 2 * words;
  const vectors = weights + 2 * words;
  const lengths = vectors + words * dimension;
  return {
    common,
    scales,
    weights,
    vectors,
    lengths,
    letters: lengths + words,
    end: lengths + words + letters,
  };
}

function damaged(why: string) {
  return refuse('damaged', `The encoder's file is damaged: ${why}.`);
}
