import { page } from 'vitest/browser';
import { expect, test } from 'vitest';
import { axeProblems, fillBank, mountBank, openTestStorage } from './mounted-app.ts';

async function openTry() {
  await page.viewport(1280, 860);
  location.hash = '#/bank/try';
  const storage = await openTestStorage();
  await fillBank(storage);
  const mounted = mountBank(storage);
  await expect.element(page.getByText('Ask the bank something')).toBeVisible();
  return { storage, ...mounted };
}

const question = () => page.getByLabelText('Try a question');
const rows = () => page.getByRole('table').getByRole('row');

test('a question shows what a run would be offered, with its place on either side and the words in common', async () => {
  await openTry();
  await question().fill('Which line is dashed at night?');
  const first = rows().nth(1);
  await expect.element(first).toHaveTextContent('A dashed line is a night service');
  await expect.element(first).toHaveTextContent(/1\. \d\.\d\d/u);
  await expect.element(first).toHaveTextContent('line, dashed, night');
  await expect.element(page.getByText(/found in \d+\.\d ms/u)).toBeVisible();
  await expect.element(page.getByText(/Encoder: grove-words-100/u)).toBeVisible();
  await first.getByRole('link').click();
  await expect
    .element(page.getByRole('heading', { name: 'A dashed line is a night service' }))
    .toBeVisible();
});

test('the mode, what is searched and the step decide what is found', async () => {
  const { bank } = await openTry();
  await question().fill('arrows');
  await expect.element(rows().nth(1)).toHaveTextContent('Follow the arrows');
  await page.getByLabelText('Among').selectOptions('Rules');
  await expect.element(page.getByText('Follow the arrows')).not.toBeInTheDocument();
  await page.getByLabelText('Among').selectOptions('Lessons');
  await page.getByLabelText('Find by').selectOptions('Words alone');
  await expect.element(rows().nth(1)).toHaveTextContent('Follow the arrows');
  await expect.poll(() => rows().elements().length).toBe(2);
  await expect.poll(() => bank.steps).toBeGreaterThan(1);
  await page.getByLabelText('As of step').fill('0');
  await page.getByLabelText('Find by').click();
  await expect.element(page.getByText('Nothing in this bank is like it')).toBeVisible();
});

test('the page grows with the bank, and an empty question finds nothing', async () => {
  const { bank } = await openTry();
  await question().fill('capsule');
  await page.getByLabelText('Find by').selectOptions('Words alone');
  await expect.element(rows().nth(1)).toHaveTextContent('A capsule joining two lines');
  await expect.poll(() => bank.mayChange).toBe(true);
  await bank.append({ type: 'retire-lesson', lesson: 'l4', reason: 'wrong' });
  await expect.element(page.getByText('Nothing in this bank is like it')).toBeVisible();
  await question().fill('');
  await expect.element(page.getByText('Ask the bank something')).toBeVisible();
});

test.each(['light', 'dark'] as const)('axe finds nothing serious in it, %s', async (theme) => {
  const { shell } = await openTry();
  shell.setTheme(theme);
  await question().fill('Which line is dashed at night?');
  await expect.element(rows().nth(1)).toBeVisible();
  expect(await axeProblems()).toEqual([]);
});

test('the index is checked against the log at a click', async () => {
  await openTry();
  await page.getByRole('button', { name: 'Check the index' }).click();
  await expect
    .element(page.getByText('The index is what the log says, byte for byte.'))
    .toBeVisible();
});
