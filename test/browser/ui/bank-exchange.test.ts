import { page, userEvent } from 'vitest/browser';
import { expect, test } from 'vitest';
import type { BankManifest } from '../../../src/core/bank/operation.ts';
import { acceptDraft } from '../../../src/core/organize/accept-draft.ts';
import { axeProblems, fillBank, mountBank, openTestStorage } from './mounted-app.ts';

async function openBank(filled = true, over: Partial<BankManifest> = {}) {
  await page.viewport(1280, 860);
  location.hash = '#/bank';
  const storage = await openTestStorage();
  if (filled) await fillBank(storage, over);
  const mounted = mountBank(storage);
  if (filled) await expect.element(page.getByRole('treeitem').first()).toBeVisible();
  return { storage, ...mounted };
}

const dialog = () => page.getByRole('dialog');
const button = (name: string) => dialog().getByRole('button', { name });

/** Exports the bank on screen as a bundle; gives the file. */
async function exportBank(downloads: readonly { readonly file: Blob; readonly name: string }[]) {
  await page.getByRole('button', { name: 'Export bank' }).click();
  await expect.element(dialog().getByRole('heading', { name: 'What leaves' })).toBeVisible();
  await button('Write the file').click();
  await expect.element(dialog().getByText('metro.grove is written')).toBeVisible();
  await button('Close').last().click();
  const last = downloads.at(-1);
  if (last === undefined) throw new Error('nothing was written');
  return new File([last.file], last.name);
}

async function pick(file: File) {
  await page.getByRole('button', { name: 'Import bank' }).click();
  await dialog().getByLabelText('Import bank').upload(file);
}

test('an export says what leaves, and an import waits to be trusted', async () => {
  const { downloads, close } = await openBank();
  await page.getByRole('button', { name: 'Export bank' }).click();
  await expect.element(dialog().getByText(/6 lessons\s+in 2 groups/u)).toBeVisible();
  await expect.element(dialog().getByText('team, simulated, metro-simulator')).toBeVisible();
  await button('Close').last().click();
  const file = await exportBank(downloads);

  await pick(file);
  await expect.element(dialog().getByText('This bank is here already')).toBeVisible();
  await button('Close').first().click();

  await close();
  const elsewhere = await openBank(false);
  await pick(file);
  await expect.element(dialog().getByText('Waiting to be trusted')).toBeVisible();
  expect(await elsewhere.storage.banks.listBanks()).toEqual([]);
  await button('Read its lessons').click();
  await expect
    .element(dialog().getByText('A dashed line is a night service', { exact: true }))
    .toBeVisible();
  await button('Trust this bank').click();
  await expect
    .element(page.getByRole('treeitem', { name: /Legend and line identity/u }))
    .toHaveTextContent('Rule');
  const [bank] = await elsewhere.storage.banks.listBanks();
  expect(bank?.manifest.name).toBe('metro');
});

test('a bank that is kept on this device is written to a file only once a person confirms it', async () => {
  const { downloads } = await openBank(true, { localOnly: true });
  await page.getByRole('button', { name: 'Export bank' }).click();
  await expect.element(dialog().getByText('This bank is kept on this device')).toBeVisible();
  await expect.element(dialog().getByRole('heading', { name: 'What leaves' })).toBeVisible();
  await expect.element(button('Write the file')).toBeDisabled();
  await dialog().getByText('Markdown').click();
  await expect.element(dialog().getByText('This bank is kept on this device')).toBeVisible();
  await expect.element(button('Write the file')).toBeDisabled();
  await dialog().getByLabelText('Write it to a file all the same').click();
  await button('Write the file').click();
  await expect.element(dialog().getByText('metro-markdown.md is written.')).toBeVisible();
  expect(downloads).toHaveLength(1);
});

test('a bank can be kept on this device and named, and Undo brings both back', async () => {
  const { storage, bank } = await openBank();
  const ask = async () => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'Name and privacy …' }).click();
  };
  await ask();
  await expect.element(button('Save')).toBeDisabled();
  await dialog().getByLabelText('Name').fill(' Night maps ');
  await dialog().getByLabelText('Keep this bank on this device').click();
  await button('Save').click();
  await expect.element(page.getByText('stays on this device')).toBeVisible();
  await expect.element(page.getByText('Night maps', { exact: true }).first()).toBeVisible();
  // What runs and exports go by.
  await expect.poll(() => bank.tree?.manifest.localOnly).toBe(true);
  expect(await storage.banks.readLog('metro', 0)).toHaveLength(bank.info?.head.seq ?? 0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => bank.tree?.manifest).toMatchObject({ name: 'metro', localOnly: false });
  await expect.element(page.getByText('stays on this device')).not.toBeInTheDocument();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('button', { name: 'Freeze' }).click();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await expect.element(page.getByRole('button', { name: 'Name and privacy …' })).toBeDisabled();
});

test('an encrypted export asks for its passphrase, and says where it is wrong', async () => {
  const { downloads, close } = await openBank();
  await page.getByRole('button', { name: 'Export bank' }).click();
  await dialog().getByLabelText('Encrypt it under a passphrase').click();
  await dialog().getByLabelText('Passphrase', { exact: true }).fill('correct horse');
  await expect.element(button('Write the file')).toBeDisabled();
  await dialog().getByLabelText('Passphrase again').fill('correct horse');
  await button('Write the file').click();
  await expect.element(dialog().getByText('metro.grove is written')).toBeVisible();
  const written = downloads.at(-1);
  if (written === undefined) throw new Error('nothing was written');

  await close();
  await openBank(false);
  await pick(new File([written.file], written.name));
  await dialog().getByLabelText('Passphrase of the file').fill('wrong');
  await button('Open it').click();
  await expect.element(dialog().getByText('That was not its passphrase.')).toBeVisible();
  await dialog().getByLabelText('Passphrase of the file').fill('correct horse');
  await button('Open it').click();
  await expect.element(dialog().getByText('Waiting to be trusted')).toBeVisible();
});

test('a damaged bundle is refused with its place, and leaves nothing', async () => {
  const { downloads, close } = await openBank();
  const file = await exportBank(downloads);
  const bytes = new Uint8Array(await file.arrayBuffer());
  await close();
  const elsewhere = await openBank(false);
  await pick(new File([bytes.slice(0, bytes.length - 40)], 'cut.grove'));
  await expect.element(dialog().getByRole('alert')).toBeVisible();
  expect(await elsewhere.storage.bundles.listHeld()).toEqual([]);
  expect(await elsewhere.storage.banks.listBanks()).toEqual([]);
});

test('memories of another system go to the inbox, held for review, and Undo takes them out', async () => {
  const { storage } = await openBank();
  const lines = [
    {
      title: 'Check the units',
      description: 'Charts with two axes',
      content: 'Read both axes before you compare.',
    },
    { title: 'Count edges', description: 'Graph tasks', content: 'Count each edge once.' },
  ];
  await pick(new File([lines.map((line) => JSON.stringify(line)).join('\n')], 'memories.jsonl'));
  await expect.element(dialog().getByText('ReasoningBank items: 2 lessons')).toBeVisible();
  await button('Put them in the inbox').click();
  await expect.element(page.getByText('4 lessons wait for you')).toBeVisible();
  const drafts = await storage.runs.listDrafts('metro');
  expect(drafts.filter(({ heldFor }) => heldFor === 'from-outside')).toHaveLength(2);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.element(page.getByText('2 lessons wait for you')).toBeVisible();
});

test('what a file counted is said in the inbox and where a lesson came from, as its own word', async () => {
  const { storage, bank } = await openBank();
  await pick(new File(['[shr-00001] helpful=5 harmful=2 :: Read the legend.'], 'playbook.txt'));
  await button('Put them in the inbox').click();
  await expect.element(page.getByText('3 lessons wait for you')).toBeVisible();
  location.hash = '#/bank/inbox';
  await page.getByText('Read the legend').first().click();
  await expect.element(page.getByText('5 helpful, 2 harmful; nothing here counts')).toBeVisible();
  const draft = (await storage.runs.listDrafts('metro')).find(
    ({ heldFor }) => heldFor === 'from-outside',
  );
  if (draft === undefined) throw new Error('no draft');
  const lesson = acceptDraft(draft, 'taken');
  expect(await bank.append({ type: 'add-lesson', lesson })).not.toBeNull();
  location.hash = '#/bank/metro/taken';
  await expect
    .element(page.getByText('imported from playbook.txt (ACE playbook), which says: 5 helpful'))
    .toBeVisible();
});

test('a file that is nothing of the kind is refused in a sentence', async () => {
  await openBank();
  await pick(new File(['just words'], 'notes.txt'));
  await expect.element(dialog().getByText(/notes.txt was not imported/u)).toBeVisible();
});

test('a fork goes its own way, and merging it brings what it learned', async () => {
  const { storage, bank } = await openBank();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('button', { name: 'Fork …' }).click();
  await button('Fork').click();
  await expect.poll(() => bank.info?.manifest.name).toBe('metro, fork');
  expect(bank.info?.manifest.forkedFrom?.bankId).toBe('metro');
  bank.select('l5');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabelText('Title').fill('Loops run one way');
  await page.getByRole('button', { name: 'Keep these words' }).click();
  await expect.element(page.getByRole('heading', { name: 'Loops run one way' })).toBeVisible();

  await page.getByLabelText('Bank', { exact: true }).selectOptions('metro');
  await expect.poll(() => bank.info?.manifest.name).toBe('metro');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('button', { name: 'Merge another bank in …' }).click();
  await dialog().getByLabelText('Bank to merge').selectOptions('metro, fork');
  await expect
    .element(dialog().getByText('It brings: 1 lesson revised', { exact: false }))
    .toBeVisible();
  await button('Merge').click();
  await expect.element(page.getByRole('treeitem', { name: /Loops run one way/u })).toBeVisible();
  expect((await storage.banks.readLog('metro', 0)).at(-1)?.operation.type).toBe('revise-lesson');
});

test('a removed bank comes back by Undo', async () => {
  const { storage } = await openBank();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('button', { name: 'Remove this bank' }).click();
  await expect.element(page.getByText('“metro” is removed.')).toBeVisible();
  expect(await storage.banks.listBanks()).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.element(page.getByRole('treeitem').first()).toBeVisible();
});

test.each(['light', 'dark'] as const)(
  'axe finds nothing serious in the dialogs, %s',
  async (theme) => {
    const { shell } = await openBank();
    shell.setTheme(theme);
    await page.getByRole('button', { name: 'Export bank' }).click();
    await expect.element(dialog().getByRole('heading', { name: 'What leaves' })).toBeVisible();
    expect(await axeProblems()).toEqual([]);
    await userEvent.keyboard('{Escape}');
    await page.getByRole('button', { name: 'Import bank' }).click();
    expect(await axeProblems()).toEqual([]);
  },
);

test('lessons leave as Markdown to read, and an erasure names the file it cannot reach', async () => {
  const { downloads } = await openBank();
  await page.getByRole('button', { name: 'Export bank' }).click();
  await dialog().getByText('Markdown').click();
  await expect.element(button('Write the file')).toBeEnabled();
  await button('Write the file').click();
  await expect.element(dialog().getByText('metro-markdown.md is written.')).toBeVisible();
  expect(await downloads.at(-1)?.file.text()).toContain('A dashed line is a night service');
  await button('Close').last().click();
  await page.getByRole('treeitem', { name: /A dashed line/u }).click();
  await page.getByRole('button', { name: 'Erase …' }).click();
  await expect.element(dialog().getByText('metro-markdown.md')).toBeVisible();
});
