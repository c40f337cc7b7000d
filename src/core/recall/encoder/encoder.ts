/** Where a vector comes from; vectors are compared only where all three agree. */
export interface Provenance {
  readonly id: string;
  readonly dimension: number;
  /** SHA-256 of what the encoder is made of, in lower-case hex; as its file says, not worked out anew. */
  readonly revision: string;
}

/** A frozen text encoder (EpiCon 4.3) that answers at once. */
export interface Encoder {
  readonly provenance: Provenance;
  /**
   * A text as a vector of length 1 and `provenance.dimension` dimensions; the same text gives the same
   * vector. A text that says nothing (empty, signs alone) gives zeros.
   */
  encode(text: string): Float32Array;
}
