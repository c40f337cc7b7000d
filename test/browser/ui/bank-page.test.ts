import { page, userEvent } from 'vitest/browser';
import { expect, test } from 'vitest';
import { replay } from '../../../src/core/bank/log.ts';
import { toSnapshot } from '../../../src/core/bank/snapshot/write-snapshot.ts';
import { axeProblems, fillBank, mountBank, openTestStorage } from './mounted-app.ts';

async function openBank(hash: string) {
  await page.viewport(1280, 860);
  location.hash = hash;
  const storage = await openTestStorage();
  await fillBank(storage);
  return { storage, ...mountBank(storage) };
}

test('the explorer walks the tree by keyboard, and the panel shows what is selected', async () => {
  await openBank('#/bank');
  const group = page.getByRole('treeitem', { name: /Legend and line identity/u });
  await expect.element(group).toHaveTextContent('Rule');
  await group.click();
  await expect
    .element(page.getByText('Name the line from the key before you follow it.'))
    .toBeVisible();
  await userEvent.keyboard('{ArrowRight}');
  const panel = page.getByRole('complementary', { name: 'Selected node' });
  await expect
    .element(panel.getByRole('heading', { name: 'Two teal lines: find the name in the key' }))
    .toBeVisible();
  await userEvent.keyboard('{ArrowLeft}{ArrowLeft}');
  await expect.element(group).toHaveAttribute('aria-expanded', 'false');
});

test('retiring a lesson takes it out of the tree, and Undo puts it back as a step of the log', async () => {
  const { storage } = await openBank('#/bank/metro/l5');
  await page.getByRole('button', { name: 'Retire' }).click();
  const row = page.getByRole('treeitem', { name: /Follow the arrows/u });
  await expect.element(row).not.toBeInTheDocument();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.element(row).toBeVisible();
  const types = (await storage.banks.readLog('metro', 0)).map(({ operation }) => operation.type);
  expect(types.slice(-2)).toEqual(['retire-lesson', 'restore']);
});

test('the step slider shows the bank as it was', async () => {
  await openBank('#/bank');
  await expect.element(page.getByRole('treeitem', { name: /Counting stops/u })).toBeVisible();
  await page.getByRole('slider', { name: 'Bank as it was at step' }).fill('1');
  await expect
    .element(page.getByRole('treeitem', { name: /Counting stops/u }))
    .not.toBeInTheDocument();
  await expect.element(page.getByText('As it was after step 1 of 3')).toBeVisible();
});

test('r refuses the shown lesson, and Ctrl Z brings it back', async () => {
  const { storage } = await openBank('#/bank/inbox');
  await expect.element(page.getByText('2 lessons wait for you')).toBeVisible();
  await userEvent.keyboard('r');
  await expect.element(page.getByText('1 lesson waits for you')).toBeVisible();
  await userEvent.keyboard('{Control>}z{/Control}');
  await expect.element(page.getByText('2 lessons wait for you')).toBeVisible();
  expect(await storage.runs.listDrafts('metro')).toHaveLength(2);
});

test('an edited draft keeps its new words', async () => {
  const { storage } = await openBank('#/bank/inbox');
  await expect.element(page.getByText('2 lessons wait for you')).toBeVisible();
  await userEvent.keyboard('e');
  await page.getByLabelText('Title').fill('Loops run one way');
  await page.getByRole('button', { name: 'Keep these words' }).click();
  await expect.element(page.getByRole('heading', { name: 'Loops run one way' })).toBeVisible();
  const titles = (await storage.runs.listDrafts('metro')).map(({ content }) => content.title);
  expect(titles).toContain('Loops run one way');
});

test.each(['light', 'dark'] as const)(
  'axe finds nothing serious in the %s theme',
  async (theme) => {
    const { shell } = await openBank('#/bank/metro/l0');
    shell.setTheme(theme);
    await expect.element(page.getByRole('heading', { name: 'Evidence' })).toBeVisible();
    await expect.element(page.getByAltText('Crop kept as evidence')).toBeVisible();
    expect(await axeProblems()).toEqual([]);
    location.hash = '#/bank/inbox';
    await expect.element(page.getByText('2 lessons wait for you')).toBeVisible();
    expect(await axeProblems()).toEqual([]);
  },
);

test('while only the groups of a large bank are read, nothing is said of what is not', async () => {
  const storage = await openTestStorage();
  await fillBank(storage);
  const [info] = await storage.banks.listBanks();
  if (info === undefined) throw new Error('the bank is there');
  const tree = replay(info.manifest, await storage.banks.readLog('metro', 0));
  if (!tree.ok) throw new Error('the log replays');
  const { groups } = toSnapshot(tree.value, info.head);
  let readOn = () => {};
  const held = new Promise<undefined>((resolve) => (readOn = () => resolve(undefined)));
  const readGroups = () => Promise.resolve({ nodes: 5000, groups });
  const banks = { ...storage.banks, readGroups, readStructure: () => held };
  await page.viewport(1280, 860);
  location.hash = '#/bank/metro/l5';
  mountBank({ ...storage, banks });

  const panel = page.getByRole('complementary', { name: 'Selected node' });
  await expect.element(panel).toHaveTextContent('Reading the lessons …');
  const group = page.getByRole('treeitem', { name: /Legend and line identity/u });
  await expect.element(group).toHaveTextContent('Rule');
  await page.getByRole('button', { name: 'Rules', exact: true }).click();
  await expect.element(group).toBeVisible();
  await group.click();
  await expect.element(panel).toHaveTextContent('Reading its words …');
  await expect.element(panel).toHaveTextContent('The log is not read yet.');
  await expect.element(panel).toHaveTextContent('Rule');
  expect(panel.element().textContent).not.toContain('No summary yet');
  readOn();
  await expect.element(panel).toHaveTextContent('Name the line from the key');
  await expect.element(panel).not.toHaveTextContent('The log is not read yet.');
});
