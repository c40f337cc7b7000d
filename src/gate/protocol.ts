import type { Policy } from './policy.ts';

/** What the page asks of the service worker; each is answered with the policy as it stands then. */
export type GateMessage =
  { readonly type: 'policy-get' } | { readonly type: 'policy-set'; readonly policy: Policy };

/** The page asks a worker that waits to take over. */
export const ACTIVATE_MESSAGE = 'grove-activate';

/** The page can be used: now is the time to keep Grove's files for offline use. */
export const SETTLED_MESSAGE = 'grove-settled';

/** Where a change of policy and a new ledger entry are told to every page. */
export const GATE_CHANNEL = 'grove-gate';
export type GateNews =
  { readonly type: 'policy'; readonly policy: Policy } | { readonly type: 'ledger' };

/** The page's word for what a request is for; the worker takes it off before the request leaves. */
export const PURPOSE_HEADER = 'x-grove-purpose';
/** The purpose of a download that may be led to another host: see `passOut`. */
export const MODEL_DOWNLOAD = 'model download';
export const REQUEST_ID_HEADER = 'x-grove-request';

/** Set on the answer to a request that was kept from leaving; its value is the reason. */
export const BLOCKED_HEADER = 'x-grove-blocked';

/** Answered by the service worker alone, with the header: proof that it stands in the way. */
export const STANDING_URL = '/__gate/standing';
export const STANDING_HEADER = 'x-grove-standing';

/** Cache Storage: the policy, and ledger entries until a page has taken them over. */
export const GATE_CACHE = 'grove-gate';
export const POLICY_URL = '/__gate/policy';
export const LEDGER_PREFIX = '/__gate/ledger/';
