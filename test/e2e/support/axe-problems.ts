import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serious and critical findings on what a page shows now, each with where it is, in both themes. */
export async function axeProblems(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // The page's policy lets no foreign script in; this one is handed over by the debugger.
    await page.evaluate(AXE);
    const violations = await page.evaluate(async () => {
      const { violations: list } = await Reflect.get(globalThis, 'axe').run(document, {
        resultTypes: ['violations'],
      });
      return list as { id: string; impact: string; nodes: { target: string[]; html: string }[] }[];
    });
    for (const { id, impact, nodes } of violations) {
      if (impact !== 'serious' && impact !== 'critical') continue;
      found.push(
        ...nodes.map(
          ({ target, html }) => `${colorScheme} ${id}: ${target.join(' ')} ${html.slice(0, 120)}`,
        ),
      );
    }
  }
  return found;
}
