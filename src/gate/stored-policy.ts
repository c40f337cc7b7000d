import { readPolicy, type Policy } from './policy.ts';
import { GATE_CACHE, GATE_CHANNEL, POLICY_URL, type GateNews } from './protocol.ts';

/** The policy as it is stored; the closed one where none is. Read anew each time: pages cannot differ. */
export async function storedPolicy(): Promise<Policy> {
  const cache = await caches.open(GATE_CACHE);
  const stored = await cache.match(POLICY_URL);
  return readPolicy(await stored?.json().catch(() => undefined));
}

/** Stores the policy and tells every page. */
export async function storePolicy(policy: Policy): Promise<void> {
  const cache = await caches.open(GATE_CACHE);
  await cache.put(POLICY_URL, new Response(JSON.stringify(readPolicy(policy))));
  tell({ type: 'policy', policy: await storedPolicy() });
}

/** Says something to every page. */
export function tell(news: GateNews): void {
  const channel = new BroadcastChannel(GATE_CHANNEL);
  channel.postMessage(news);
  channel.close();
}
