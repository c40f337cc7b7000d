import type { Received } from './counting-fetch.ts';
import { ledgerEntrySchema, type LedgerEntry } from './ledger-entry.ts';
import { GATE_CACHE, GATE_CHANNEL, LEDGER_PREFIX, type GateNews } from './protocol.ts';

/**
 * Takes entries out of Cache Storage one by one, under a lock, so that two tabs keep none twice. An
 * entry of a request whose answer is still being read waits until it has been counted.
 */
export function drainLedger(
  keep: (entry: LedgerEntry) => Promise<void>,
  received: Received,
): () => void {
  let stopped = false;
  const run = () =>
    navigator.locks.request('grove-ledger', async () => {
      const cache = await caches.open(GATE_CACHE);
      const requests = (await cache.keys()).filter(({ url }) =>
        new URL(url).pathname.startsWith(LEDGER_PREFIX),
      );
      for (const request of requests) {
        const stored = await cache.match(request);
        const parsed = ledgerEntrySchema.safeParse(await stored?.json().catch(() => undefined));
        if (stopped || (parsed.success && received.isReading(parsed.data.id))) continue;
        if (parsed.success) {
          const bytesReceived = received.take(parsed.data.id) ?? parsed.data.bytesReceived;
          await keep({ ...parsed.data, bytesReceived });
        }
        await cache.delete(request);
      }
    });
  const channel = new BroadcastChannel(GATE_CHANNEL);
  channel.addEventListener('message', ({ data }: MessageEvent<GateNews>) => {
    if (data.type === 'ledger') void run();
  });
  const stopListening = received.onEnd(() => void run());
  void run();
  return () => {
    stopped = true;
    stopListening();
    channel.close();
  };
}
