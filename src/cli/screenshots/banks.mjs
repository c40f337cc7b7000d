import { importBundle, keptBrowser, openEmptyBank, trustBank } from '../bench/bank-browser.mjs';
import { withBundles } from '../bench/bundle-maker.mjs';
import { buildApp, DIST } from '../build-app.mjs';
import { serve } from '../serve.mjs';
import { everyLook } from './every-look.mjs';

const SIZES = [
  { lessons: 10, crops: 4 },
  { lessons: 1000, crops: 200 },
  { lessons: 10_000, crops: 2000 },
];

/** Pictures the tree, one lesson of it, and the history of banks of three sizes, each imported. */
export async function pictureBanks() {
  await buildApp();
  const server = await serve({ root: DIST, port: 0 });
  try {
    await withBundles(async (make) => {
      for (const size of SIZES) {
        const { path, bankId } = await make(size);
        const browser = keptBrowser();
        const context = await browser.start();
        try {
          const page = await openEmptyBank(context, server.url);
          await importBundle(page, path);
          await trustBank(page);
          await pictureBank(page, `${server.url}#/bank`, `${size.lessons}`);
          console.log(`${bankId}: ${size.lessons} lessons`);
        } finally {
          await context.close();
          browser.remove();
        }
      }
    });
  } finally {
    await server.close();
  }
}

/**
 * @param {import('playwright').Page} page
 * @param {string} url the Bank page
 * @param {string} name
 */
async function pictureBank(page, url, name) {
  await page.getByText(/^\d+ %/u).waitFor({ state: 'detached' });
  await everyLook(page, `bank-${name}`);
  await page.setViewportSize({ width: 1280, height: 900 });
  const tree = page.getByRole('tree');
  await tree.getByRole('treeitem').first().click();
  // Down the outline, opening what is closed, to the first lesson.
  for (let at = 0; at < 12; at += 1) await page.keyboard.press('ArrowRight');
  await page.waitForTimeout(500);
  await everyLook(page, `bank-${name}-lesson`);
  await page.goto(`${url}/history`);
  await page.getByRole('heading', { name: /History/u }).waitFor();
  await page.waitForTimeout(500);
  await everyLook(page, `history-${name}`);
}
