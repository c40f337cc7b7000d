import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch } from './support/browser.ts';
import { startApp, type StartedApp } from './support/built-app.ts';

let app: StartedApp;
let browser: Browser;

beforeAll(async () => {
  [app, browser] = await Promise.all([startApp(), launch()]);
});

afterAll(async () => {
  await browser.close();
  await app.close();
});

async function firstVisit(): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(app.url);
  await page.getByRole('button', { name: 'Try the metro sample' }).waitFor();
  return page;
}

const story = (page: Page) => page.getByRole('list', { name: 'The story' });

describe('the metro sample, on a first visit', () => {
  let page: Page;

  test('plays by itself to its end in under a minute, and says what is simulated', async () => {
    page = await firstVisit();
    const startedMs = performance.now();
    await page.getByRole('button', { name: 'Try the metro sample' }).click();
    await page.getByText('are a simulation without a model').waitFor();
    await page.getByText('Simulated solver: no model').first().waitFor();
    await page.getByText('Feedback: reference (bank construction)').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.getByText('On a map that no lesson came from').waitFor({ timeout: 60_000 });
    expect(performance.now() - startedMs).toBeLessThan(60_000);
  });

  test('builds the bank with right answers, and places each lesson', async () => {
    const steps = story(page).getByRole('listitem');
    expect(await steps.count()).toBe(6);
    for (const index of [0, 1, 2, 3]) {
      const words = await steps.nth(index).innerText();
      expect(words).toContain('right');
      expect(words).toContain('feedback reference');
      expect(words).toContain('→');
    }
  });

  test('answers the new task wrong without the bank and right with it', async () => {
    const steps = story(page).getByRole('listitem');
    expect(await steps.nth(4).innerText()).toMatch(/without the bank[\s\S]*wrong/u);
    expect(await steps.nth(5).innerText()).toMatch(/with the bank[\s\S]*right/u);
    await page.getByRole('heading', { name: /^Retrieved/u }).waitFor();
  });

  test('shows what changed between attempts: words, box, gate, cost', async () => {
    await page.getByText('Earlier runs').click();
    await page
      .getByRole('button', { name: /· sample/u })
      .last()
      .click();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByRole('heading', { name: /^Answer after/u }).waitFor();
    await timeline.getByRole('heading', { name: 'Attempt 1', exact: true }).waitFor();
    const change = timeline.getByRole('listitem').filter({ hasText: 'Memory changed' }).first();
    expect(await change.getByRole('insertion').count()).toBeGreaterThan(0);
    expect(await change.getByText('gate: shown').count()).toBe(1);
    expect(await change.locator('svg rect').count()).toBeGreaterThan(0);
    await timeline
      .getByRole('group', { name: /^Cost of this attempt/u })
      .first()
      .waitFor();
  });

  test('leaves a tree of lessons with crop, place on the source, and where each came from', async () => {
    await page.getByRole('link', { name: 'Bank' }).click();
    const tree = page.getByRole('tree');
    await tree.waitFor();
    await tree.getByRole('treeitem').last().click();
    const node = page.getByRole('complementary', { name: 'Selected node' });
    await node.getByText('Applies when').waitFor();
    await node.getByRole('img', { name: 'Crop kept as evidence' }).waitFor();
    await node.getByRole('img', { name: 'Where the crop lies on its source' }).waitFor();
    expect(await node.innerText()).toMatch(/feedback reference/u);
  });

  test('leads from a lesson to the very attempt that it came from', async () => {
    await page
      .getByRole('complementary', { name: 'Selected node' })
      .getByRole('link', { name: /^run .*, attempt \d/u })
      .first()
      .click();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByRole('heading', { name: /^Answer after/u }).waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#\/solve\/\w+\/\d+$/u);
    await page.context().close();
  });
});

describe('the story can be', () => {
  test('stepped through', async () => {
    const page = await firstVisit();
    await page.getByRole('button', { name: 'Try the metro sample' }).click();
    await page.getByRole('checkbox', { name: 'Step by step' }).check();
    await page.getByRole('checkbox', { name: 'Fast' }).check();
    await page.getByRole('button', { name: 'Next' }).click({ timeout: 30_000 });
    await expect
      .poll(() => story(page).getByRole('listitem').nth(1).innerText(), { timeout: 30_000 })
      .toContain('right');
    await page.getByRole('button', { name: 'Next' }).waitFor();
    await page.context().close();
  });

  test('stopped in the middle of an attempt, and gone on with', async () => {
    const page = await firstVisit();
    await page.getByRole('button', { name: 'Try the metro sample' }).click();
    await page.getByRole('heading', { name: 'Attempt 2', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText(/^Stopped in attempt/u).waitFor();
    await page.getByRole('checkbox', { name: 'Fast' }).check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('On a map that no lesson came from').waitFor({ timeout: 60_000 });
    await page.context().close();
  });

  test('cut off by closing the tab, and taken up by opening it again; a second tab looks on', async () => {
    const page = await firstVisit();
    const context = page.context();
    await page.getByRole('button', { name: 'Try the metro sample' }).click();
    await page.getByRole('heading', { name: 'Attempt 2', exact: true }).waitFor();
    const second = await context.newPage();
    await second.goto(app.url);
    await second.getByText('Another tab of Grove is working on this run').waitFor();
    await second.close();
    await page.close();
    const again = await context.newPage();
    await again.goto(app.url);
    await again.getByRole('checkbox', { name: 'Fast' }).check();
    await again.getByText('On a map that no lesson came from').waitFor({ timeout: 60_000 });
    await context.close();
  });
});
