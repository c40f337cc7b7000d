import type { EncoderId } from '../index/recall-types.ts';

/** A frozen text encoder (EpiCon 4.3) that answers at once. */
export interface Encoder {
  /** Goes with each vector: id, dimension, and as revision what the asset's header says of its bytes. */
  readonly provenance: EncoderId;
  /**
   * A text as a vector of length 1 and `provenance.dimension` dimensions; the same text gives the same
   * vector. A text that says nothing (empty, signs alone) gives zeros.
   */
  encode(text: string): Float32Array;
}
