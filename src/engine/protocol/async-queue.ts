/** Items pushed on one side and awaited on the other, in order. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #failure: { readonly error: unknown } | null = null;
  #wake: (() => void) | null = null;

  push(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** Ends it: what is there and not yet taken is dropped. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#items = [];
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const [item] = this.#items.splice(0, 1);
      if (item !== undefined) yield item;
      else if (this.#failure !== null) throw this.#failure.error;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
