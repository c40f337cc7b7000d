import { z } from 'zod';

/** One request that left, or was kept from leaving. Never its query, its headers or what it said. */
export const ledgerEntrySchema = z.object({
  id: z.string(),
  /** ISO 8601. */
  at: z.string(),
  origin: z.string(),
  path: z.string(),
  method: z.string(),
  /** What Grove wanted with it; a request of a library names none. */
  purpose: z.string(),
  /** `model call`, `image`, `script`: what kind of thing was asked for. */
  kind: z.string(),
  bytesSent: z.number(),
  /** null where it is not known. */
  bytesReceived: z.number().nullable(),
  outcome: z.enum(['sent', 'failed', 'blocked']),
  /** The status that came back, or why it was blocked. */
  detail: z.string(),
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;
