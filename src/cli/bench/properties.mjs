import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../npm.mjs';
import { ROOT } from '../root.mjs';

/**
 * @typedef {{
 *   title: string, status: string, duration?: number, failureMessages: string[],
 *   meta?: { counts?: Record<string, number> },
 * }} PropertyResult
 */

/**
 * The property tests at their full counts (`GROVE_FULL=1`), in a process of their own: how often each
 * property was tried, and the seconds it took.
 *
 * @returns {Promise<import('../bench.mjs').Measure[]>}
 * @throws where one does not hold, with fast-check's seed and case
 */
export async function benchProperties() {
  const folder = mkdtempSync(join(tmpdir(), 'grove-bench-'));
  const output = join(folder, 'properties.json');
  try {
    const code = await run(
      process.execPath,
      [
        join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
        'run',
        '--project=unit',
        '--reporter=json',
        `--outputFile=${output}`,
        // What has no limit of its own is given the time a full count needs, in milliseconds.
        '--testTimeout=3600000',
        '.property.test.ts',
      ],
      { env: { GROVE_FULL: '1' } },
    );
    /** @type {{ testResults: { message: string, assertionResults: PropertyResult[] }[] }} */
    const { testResults } = JSON.parse(readFileSync(output, 'utf8'));
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = results.filter(({ status }) => status !== 'passed');
    if (code !== 0 || failed.length > 0) {
      const why = failed.map(({ title, failureMessages }) =>
        [title, ...failureMessages].join('\n'),
      );
      const unread = testResults.map(({ message }) => message).filter((text) => text !== '');
      throw new Error(['Properties do not hold:', ...why, ...unread].join('\n\n'));
    }
    return [
      { name: 'properties that hold', value: results.length, unit: '' },
      ...results.flatMap(measuresOf),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {PropertyResult} result
 * @returns {import('../bench.mjs').Measure[]}
 */
function measuresOf({ title, duration = 0, meta }) {
  const counts = Object.entries(meta?.counts ?? {});
  return [
    { name: title, value: duration / 1000, unit: 's' },
    ...counts.map(([what, value]) => ({ name: `  of these ${what}`, value, unit: '' })),
  ];
}
