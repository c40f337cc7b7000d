import { z } from 'zod';
import type { Database } from '../database.ts';
import { logHeadSchema, parseRow, settingRowSchema } from '../rows.ts';

/** A file that left this browser with a bank's lessons in it. No erasure reaches it. */
export const exportNoteSchema = z.object({
  kind: z.enum(['bundle', 'text', 'back-up']),
  /** null for a back-up, which holds every bank. */
  bankId: z.string().nullable(),
  fileName: z.string(),
  /** ISO 8601. */
  at: z.string(),
  /** Where the bank stood; null for a back-up. */
  head: logHeadSchema.nullable(),
});
export type ExportNote = z.infer<typeof exportNoteSchema>;

/** The record of the files that were written. */
export interface ExportNotes {
  note(written: ExportNote): Promise<void>;
  /** Oldest first. */
  list(): Promise<readonly ExportNote[]>;
}

/** A setting: no table of its own, and a back-up holds it. */
const KEY = 'exports';
const listSchema = z.array(exportNoteSchema);

/** The record over one connection. */
export function exportNotes(database: Database): ExportNotes {
  const { settings } = database;
  return {
    async note(written) {
      await database.write('note the export', [settings], async () => {
        const value = [...(await notedExports(database)), written];
        await settings.put({ key: KEY, value });
      });
    },
    list: () => database.read('read the exports', [settings], () => notedExports(database)),
  };
}

/** Every export that was noted, oldest first. Runs inside a transaction over the settings. */
export async function notedExports(database: Database): Promise<readonly ExportNote[]> {
  const row = await database.settings.get(KEY);
  if (row === undefined) return [];
  const { value } = parseRow(settingRowSchema, row, 'list of exports');
  return parseRow(listSchema, value, 'list of exports');
}
