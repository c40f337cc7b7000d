import { Dexie } from 'dexie';
import { callKeyId } from '../core/call.ts';
import type { CallJournal, ReferenceStore, RunStore } from '../core/ports.ts';
import { referenceSchema, type Task } from '../core/task.ts';
import type { LessonDraft, RunRecord } from '../core/run.ts';
import type { Database } from './database.ts';
import {
  draftRowSchema,
  parseRow,
  runRowSchema,
  taskRowSchema,
  type CallRow,
  type DraftRow,
  type RunRow,
  type TaskRow,
} from './rows.ts';

/** A task as its row. Each image is indexed once, however often the task shows it. */
export function taskRow(task: Task): TaskRow {
  return { id: task.id, imageHashes: [...new Set(task.images.map(({ hash }) => hash))], task };
}

/** A run as its row. */
export function runRow(run: RunRecord): RunRow {
  const { id, taskId, createdAt } = run;
  return { id, taskId, bankId: run.config.bankId, createdAt, run };
}

/** A draft as its row. */
export function draftRow(draft: LessonDraft): DraftRow {
  return { id: draft.id, bankId: draft.bankId, runId: draft.runId, draft };
}

/** A completed call as its row. */
export function callRow(call: CallRow['call']): CallRow {
  return { id: callKeyId(call.key), runId: call.key.runId, call };
}

/** The keys of everything a run has in a table whose key begins with the run's id. */
export function ofRun(runId: string): [[string, unknown], [string, unknown]] {
  return [
    [runId, Dexie.minKey],
    [runId, Dexie.maxKey],
  ];
}

/** Removes a run with its events, calls and drafts. Runs inside a write transaction over those tables. */
export async function removeRun(database: Database, runId: string): Promise<void> {
  const { runs, runEvents, calls, drafts } = database;
  await runs.delete(runId);
  await runEvents
    .where('[runId+index]')
    .between(...ofRun(runId))
    .delete();
  await calls.where('runId').equals(runId).delete();
  await drafts.where('runId').equals(runId).delete();
}

/** The newest runs, newest first, checked. Runs inside a read transaction or a live query. */
export async function newestRuns(database: Database, limit: number): Promise<RunRecord[]> {
  const rows = await database.runs.orderBy('[createdAt+id]').reverse().limit(limit).toArray();
  return rows.map((row) => parseRow(runRowSchema, row, 'run').run);
}

/** The drafts waiting for a bank, oldest first, checked. */
export async function draftsOf(database: Database, bankId: string): Promise<LessonDraft[]> {
  const rows = await database.drafts.where('bankId').equals(bankId).sortBy('id');
  return rows.map((row) => parseRow(draftRowSchema, row, 'lesson draft').draft);
}

/** Tasks, runs, their events and the lessons drafted from them. */
export function runStore(database: Database): RunStore {
  const { tasks, runs, runEvents, calls, drafts } = database;
  return {
    async putTask(task) {
      await database.write('keep the task', [tasks], () => tasks.put(taskRow(task)));
    },
    async getTask(id) {
      const row = await database.read('read the task', [tasks], () => tasks.get(id));
      return row && parseRow(taskRowSchema, row, 'task').task;
    },
    async putRun(run) {
      await database.write('keep the run', [runs], () => runs.put(runRow(run)));
    },
    async getRun(id) {
      const row = await database.read('read the run', [runs], () => runs.get(id));
      return row && parseRow(runRowSchema, row, 'run').run;
    },
    listRuns: (limit) => database.read('list the runs', [runs], () => newestRuns(database, limit)),
    async putEvent(runId, index, event) {
      await database.write('keep an event of the run', [runEvents], () =>
        runEvents.put({ runId, index, event }),
      );
    },
    async getEvents(runId) {
      const rows = await database.read('read the run', [runEvents], () =>
        runEvents
          .where('[runId+index]')
          .between(...ofRun(runId))
          .toArray(),
      );
      return rows.map(({ event }) => event);
    },
    async deleteEventsFrom(runId, index) {
      await database.write('tidy the run', [runEvents], () =>
        runEvents.where('[runId+index]').between([runId, index], [runId, Dexie.maxKey]).delete(),
      );
    },
    async putDraft(draft) {
      await database.write('keep the lesson', [drafts], () => drafts.put(draftRow(draft)));
    },
    async putDrafts(all) {
      await database.write('keep the lessons', [drafts], () => drafts.bulkPut(all.map(draftRow)));
    },
    listDrafts: (bankId) =>
      database.read('list the lessons', [drafts], () => draftsOf(database, bankId)),
    async deleteDraft(id) {
      await database.write('remove the lesson', [drafts], () => drafts.delete(id));
    },
    async deleteDrafts(ids) {
      await database.write('remove the lessons', [drafts], () => drafts.bulkDelete([...ids]));
    },
    async deleteRun(id) {
      await database.write('remove the run', [runs, runEvents, calls, drafts], () =>
        removeRun(database, id),
      );
    },
  };
}

/** Completed calls by key. The first record of a key stays: it is the one that was paid for. */
export function callJournal(database: Database): CallJournal {
  const { calls } = database;
  return {
    async find(key) {
      const row = await database.read('look up a call', [calls], () => calls.get(callKeyId(key)));
      return row?.call;
    },
    async record(call) {
      const row = callRow(call);
      await database.write('keep a completed call', [calls], async () => {
        if ((await calls.where('id').equals(row.id).count()) === 0) await calls.add(row);
      });
    },
  };
}

/** Known answers, in their own table; nothing in any other row leads here. */
export function referenceStore(database: Database): ReferenceStore {
  const { references } = database;
  return {
    async putReference(reference) {
      await database.write('keep the reference', [references], () => references.put(reference));
    },
    async getReference(taskId) {
      const row = await database.read('read the reference', [references], () =>
        references.get(taskId),
      );
      return row && parseRow(referenceSchema, row, 'reference');
    },
  };
}
