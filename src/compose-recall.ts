/** The part of the composition root that recall needs, loaded with the first question. */
import type { RecallEncoder } from './core/recall/recall-port.ts';
import type { BankRecall } from './core/recall/recalled-bank.ts';
import type { BankLoader } from './state/bank-loader.ts';
import { makeBankRecall } from './state/bank-recall.ts';
import type { GroveStorage } from './storage/open-storage.ts';
import { startRecallWorker, type RecallWorker } from './work/recall-client.ts';

/** Recall over this browser's banks. Where the word vectors do not load, words alone decide. */
export async function openRecall(storage: GroveStorage, loader: BankLoader): Promise<BankRecall> {
  const recall = startRecallWorker();
  const encoder = await loadWords(recall).catch(() => null);
  return makeBankRecall({ banks: storage.banks, loader, store: storage.recall, recall, encoder });
}

async function loadWords(recall: RecallWorker): Promise<RecallEncoder> {
  const response = await fetch(`${import.meta.env.BASE_URL}encoder/words.bin`);
  if (!response.ok) throw new Error(`the word vectors answered ${response.status}`);
  return recall.loadWords(new Uint8Array(await response.arrayBuffer()));
}
