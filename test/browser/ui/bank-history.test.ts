import { page, userEvent } from 'vitest/browser';
import { expect, test } from 'vitest';
import { StorageError } from '../../../src/core/errors.ts';
import { axeProblems, fillBank, mountBank, openTestStorage } from './mounted-app.ts';

async function openBank(hash: string) {
  await page.viewport(1280, 860);
  location.hash = hash;
  const storage = await openTestStorage();
  await fillBank(storage);
  const logTypes = async () =>
    (await storage.banks.readLog('metro', 0)).map(({ operation }) => operation.type);
  return { storage, logTypes, ...mountBank(storage) };
}

const row = (name: RegExp) => page.getByRole('treeitem', { name });

test('Ctrl Z takes the latest step back through the log, Ctrl Shift Z does it again', async () => {
  const { logTypes } = await openBank('#/bank');
  const rule = row(/Legend and line identity/u);
  await expect.element(rule).toHaveTextContent('Rule');
  await userEvent.keyboard('{Control>}z{/Control}');
  await expect.element(rule).not.toHaveTextContent('Rule');
  await expect.element(page.getByText('Step 3 is undone.')).toBeVisible();
  await userEvent.keyboard('{Control>}{Shift>}z{/Shift}{/Control}');
  await expect.element(rule).toHaveTextContent('Rule');
  expect((await logTypes()).slice(-2)).toEqual(['restore', 'restore']);
});

test('an edited lesson stands in its predecessor’s place, with its evidence', async () => {
  const { storage } = await openBank('#/bank/metro/l5');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabelText('Title').fill('Loops run one way');
  await page.getByRole('button', { name: 'Keep these words' }).click();
  await expect.element(page.getByRole('heading', { name: 'Loops run one way' })).toBeVisible();
  await expect.element(row(/Follow the arrows/u)).not.toBeInTheDocument();
  const last = (await storage.banks.readLog('metro', 0)).at(-1)?.operation;
  if (last?.type !== 'revise-lesson') throw new Error('it was not revised');
  expect(last.predecessor).toBe('l5');
  expect(last.lesson.evidence.map(({ taskId }) => taskId)).toEqual(['task-l5']);
});

test('a lesson moves to a group that is made for it, and back by Undo', async () => {
  await openBank('#/bank/metro/l5');
  await page.getByRole('button', { name: 'Move' }).click();
  await page.getByLabelText('Move to').selectOptions('A new group at the top');
  await page.getByLabelText('Name of the new group').fill('Loops');
  await page.getByRole('button', { name: 'Move here' }).click();
  await expect.element(row(/^.*Loops/u)).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.element(row(/^.*Loops/u)).not.toBeInTheDocument();
});

test('a lesson is held for review and trusted again', async () => {
  await openBank('#/bank/metro/l5');
  await page.getByRole('button', { name: 'Hold for review' }).click();
  await expect.element(row(/Follow the arrows/u)).toHaveTextContent('held');
  await page.getByRole('button', { name: 'Trust' }).click();
  await expect.element(row(/Follow the arrows/u)).not.toHaveTextContent('held');
});

test('an open conflict keeps a rule from its rank until a person settles it', async () => {
  const { bank } = await openBank('#/bank/metro/g1');
  await expect.element(row(/Legend and line identity/u)).toHaveTextContent('Rule');
  const summary = {
    text: 'Name the line from the key before you follow it.',
    procedure: [],
    conditions: 'the question names a line',
    conflicts: [
      {
        lessons: ['l0', 'l2'] as [string, string],
        about: 'whether a dashed line runs by day',
        settled: null,
      },
    ],
    supportedBy: ['l0', 'l1', 'l2'],
  };
  await bank.append({ type: 'consolidate', group: 'g1', summary });
  await expect.element(row(/Legend and line identity/u)).not.toHaveTextContent('Rule');
  const panel = page.getByRole('complementary', { name: 'Selected node' });
  await expect.element(panel.getByText('whether a dashed line runs by day')).toBeVisible();
  await panel.getByRole('button', { name: 'Both hold, each under its condition' }).click();
  await expect.element(row(/Legend and line identity/u)).toHaveTextContent('Rule');
});

test('the history lists every step, tells what changed, and reverts one', async () => {
  const { logTypes } = await openBank('#/bank/history');
  await expect.element(page.getByRole('heading', { name: '3 steps' })).toBeVisible();
  const changes = page.getByRole('region', { name: 'What changed' });
  await expect.element(changes.getByText('group → rule')).toBeVisible();
  await page.getByRole('button', { name: '2 3 lessons added' }).click();
  await expect.element(changes.getByText('new group, under All lessons')).toBeVisible();
  await page.getByLabelText('From step').fill('0');
  await userEvent.keyboard('{Enter}');
  await page.getByLabelText('To step').fill('3');
  await userEvent.keyboard('{Enter}');
  await expect.element(changes.getByRole('heading', { name: 'Lessons 6' })).toBeVisible();
  await page.getByRole('button', { name: 'Revert step 3' }).click();
  await expect.element(page.getByText('taken back by step 4')).toBeVisible();
  expect((await logTypes()).at(-1)).toBe('restore');
});

test('checking the chain finds it whole, and a changed entry by its number', async () => {
  const { storage } = await openBank('#/bank/history');
  await page.getByRole('button', { name: 'Check the chain' }).click();
  await expect.element(page.getByText('9 entries follow one another')).toBeVisible();
  const readLog = storage.banks.readLog.bind(storage.banks);
  storage.banks.readLog = async (bankId, after) =>
    (await readLog(bankId, after)).map((entry) =>
      entry.seq === 5 ? { ...entry, at: '2001-01-01T00:00:00.000Z' } : entry,
    );
  await page.getByRole('button', { name: 'Check the chain' }).click();
  await expect.element(page.getByText(/The chain is broken at entry 5/u)).toBeVisible();
});

test('a log that was changed is told as the bank opens, and undoing then does nothing', async () => {
  await page.viewport(1280, 860);
  location.hash = '#/bank';
  const storage = await openTestStorage();
  await fillBank(storage);
  const readLog = storage.banks.readLog.bind(storage.banks);
  storage.banks.readLog = async (bankId, after, most) =>
    (await readLog(bankId, after, most)).map((entry) =>
      entry.seq === 5 ? { ...entry, at: '2001-01-01T00:00:00.000Z' } : entry,
    );
  const { bank } = mountBank(storage);
  await expect.element(page.getByText(/log is broken: entry 5 was changed/u)).toBeVisible();
  expect(await bank.undo()).toBeNull();
  expect(await readLog('metro', 0)).toHaveLength(9);
});

test('a step that is not written says why, and stays said', async () => {
  const { storage } = await openBank('#/bank/metro/l5');
  await expect.element(row(/Follow the arrows/u)).toBeVisible();
  storage.banks.append = () =>
    Promise.reject(new StorageError('head-moved', 'The bank was changed in another tab.'));
  await userEvent.keyboard('{Control>}z{/Control}');
  await expect.element(page.getByText('The bank was changed in another tab.')).toBeVisible();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await expect.element(page.getByText('The bank was changed in another tab.')).toBeVisible();
});

test.each(['light', 'dark'] as const)('axe finds nothing serious in %s', async (theme) => {
  const { shell } = await openBank('#/bank/history');
  shell.setTheme(theme);
  await expect.element(page.getByRole('heading', { name: 'What changed' })).toBeVisible();
  await page.getByLabelText('Show both trees').click();
  expect(await axeProblems()).toEqual([]);
});

test('an erased lesson leaves the log itself, after one is shown what goes', async () => {
  const { storage } = await openBank('#/bank/metro/l5');
  await page.getByRole('button', { name: 'Erase …' }).click();
  const dialog = page.getByRole('dialog');
  await expect.element(dialog.getByText('no file was exported that holds it')).toBeVisible();
  await dialog.getByRole('button', { name: 'Erase for good' }).click();
  await expect.element(row(/Follow the arrows/u)).not.toBeInTheDocument();
  await expect.element(row(/The boarding station/u)).toBeVisible();
  const log = await storage.banks.readLog('metro', 0);
  expect(JSON.stringify(log)).not.toContain('Follow the arrows');
  expect(log.at(-1)?.operation.type).toBe('erase');
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('button', { name: 'Check the chain' }).click();
  await expect.element(page.getByText(/entries follow one another/u)).toBeVisible();
});
