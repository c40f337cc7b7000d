import { PURPOSE_HEADER, REQUEST_ID_HEADER } from './protocol.ts';

/** What this page has received for its own requests: still being read, or counted. */
export class Received {
  readonly #reading = new Set<string>();
  readonly #counts = new Map<string, number | null>();
  readonly #listeners = new Set<() => void>();

  begin(id: string): void {
    this.#reading.add(id);
  }

  end(id: string, bytes: number | null): void {
    if (!this.#reading.delete(id)) return;
    this.#counts.set(id, bytes);
    for (const listener of this.#listeners) listener();
  }

  isReading(id: string): boolean {
    return this.#reading.has(id);
  }

  /** The bytes of a request that has been read, once. */
  take(id: string): number | null {
    const bytes = this.#counts.get(id) ?? null;
    this.#counts.delete(id);
    return bytes;
  }

  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** A fetch that names its purpose, and counts what comes back while it is read. */
export function countingFetch(purpose: string, received: Received): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const id = crypto.randomUUID();
    request.headers.set(PURPOSE_HEADER, purpose);
    request.headers.set(REQUEST_ID_HEADER, id);
    received.begin(id);
    try {
      const response = await fetch(request);
      if (response.body === null || response.type === 'opaque') {
        received.end(id, response.type === 'opaque' ? null : 0);
        return response;
      }
      return counting(response, response.body, (bytes) => received.end(id, bytes));
    } catch (error) {
      received.end(id, null);
      throw error;
    }
  };
}

function counting(
  response: Response,
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  done: (bytes: number) => void,
): Response {
  const reader = body.getReader();
  let bytes = 0;
  const counted = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const piece = await reader.read();
        if (piece.done) {
          done(bytes);
          controller.close();
        } else {
          bytes += piece.value.byteLength;
          controller.enqueue(piece.value);
        }
      } catch (error) {
        done(bytes);
        controller.error(error);
      }
    },
    async cancel(reason) {
      done(bytes);
      await reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}
