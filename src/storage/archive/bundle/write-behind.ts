/** Lets one write go on while what comes next is read and checked. */
export class WriteBehind {
  #going: Promise<void> = Promise.resolve();

  /** Begins a write once the one before it is done. Throws what that one threw. */
  async begin(write: () => Promise<void>): Promise<void> {
    await this.#going;
    this.#going = write();
    // Told by the next call; until then it is no failure that nobody looks at.
    this.#going.catch(() => undefined);
  }

  /** Waits for the last write. Throws what it threw. */
  done(): Promise<void> {
    return this.#going;
  }

  /** Waits until nothing is written any more, however that ends. */
  async settled(): Promise<void> {
    await this.#going.catch(() => undefined);
  }
}
