import type { Tree } from '../core/bank/tree.ts';
import type { LogHead } from '../core/ports.ts';
import { playbookEntries } from '../core/transfer/ace/bank-playbook.ts';
import { writePlaybook } from '../core/transfer/ace/ace-playbook.ts';
import { bankEntries } from '../core/transfer/items/bank-entries.ts';
import { exportMarkdown } from '../core/transfer/items/export-markdown.ts';
import { exportJsonLines } from '../core/transfer/items/grove-lessons.ts';
import { reasoningItems } from '../core/transfer/items/reasoning-bank.ts';
import { remeItems } from '../core/transfer/items/reme.ts';
import { writeRecords } from '../core/transfer/text/json-records.ts';
import type { TextFormat } from './exchange-formats.ts';

/** Pieces written before others are let work. */
const PIECES = 200;

/** A bank's trusted lessons as text of one format, made in pieces. Throws where the signal fires. */
export async function exportText(
  bank: { readonly tree: Tree; readonly head: LogHead },
  format: TextFormat,
  signal: AbortSignal,
): Promise<Blob> {
  const parts: Blob[] = [];
  let pieces: string[] = [];
  for (const piece of piecesOf(bank, format)) {
    pieces.push(piece);
    if (pieces.length < PIECES) continue;
    parts.push(new Blob(pieces));
    pieces = [];
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  }
  return new Blob([...parts, ...pieces], { type: 'text/plain' });
}

function piecesOf(
  bank: { readonly tree: Tree; readonly head: LogHead },
  format: TextFormat,
): Iterable<string> {
  const entries = () => bankEntries(bank.tree);
  switch (format) {
    case 'json-lines':
      return exportJsonLines(bank);
    case 'markdown':
      return exportMarkdown(bank);
    case 'reasoning-bank':
      return writeRecords('lines', reasoningItems(entries()));
    case 'reme':
      return writeRecords('lines', remeItems(entries(), { workspace: bank.tree.manifest.name }));
    case 'ace-playbook':
      return writePlaybook(playbookEntries(entries()));
  }
}
