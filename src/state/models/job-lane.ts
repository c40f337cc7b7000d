/** Work of a kind, one after the other in the order it was asked for. */
export class JobLane {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` when its turn comes. Throws what it throws; the signal's reason while it waits. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const over = Promise.withResolvers<void>();
    this.#last = before.then(() => over.promise);
    const given = Promise.withResolvers<never>();
    const giveUp = () => given.reject(signal.reason);
    signal.addEventListener('abort', giveUp);
    try {
      signal.throwIfAborted();
      await Promise.race([before, given.promise]);
      return await work();
    } finally {
      signal.removeEventListener('abort', giveUp);
      over.resolve();
    }
  }
}
