import type { RecallMode } from '../../core/recall/index/recall-types.ts';

/** How candidates can be found, the usual way first. */
export const RECALL_MODES: readonly { readonly id: RecallMode; readonly label: string }[] = [
  { id: 'fused', label: 'Words and meaning' },
  { id: 'bm25', label: 'Words alone' },
  { id: 'encoder', label: 'Meaning alone' },
];
