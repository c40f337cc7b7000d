import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensureDependencies } from './dependencies.mjs';
import { ensureChromium } from './ensure-chromium.mjs';
import { run, runQuietly } from './npm.mjs';
import { ROOT } from './root.mjs';

/** `npm test`: everything there is to check, then what was skipped, then `N passed, N failed`. */
const PROJECTS = ['unit', 'browser', 'e2e'];

/**
 * @typedef {{ passed: number, failed: number, skipped: string[] }} Tally
 */

process.exitCode = await test();

async function test() {
  if (!(await ensureDependencies()) || !(await ensureChromium())) {
    console.log('0 passed, 1 failed');
    return 1;
  }
  const { buildApp } = await import('./build-app.mjs');
  // Side by side: each keeps one core busy.
  const checks = await Promise.all([
    check('formatting', ['prettier', 'bin/prettier.cjs'], ['--check', '--log-level=warn', '.']),
    // It reads every file of tsconfig.json, components and plain TypeScript.
    check(
      'types',
      ['svelte-check', 'bin/svelte-check'],
      ['--tsconfig', './tsconfig.json', '--fail-on-warnings', '--output', 'human'],
    ),
    step('build', async () => {
      await buildApp();
      return 0;
    }),
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'grove-test-'));
  const tallies = [];
  for (const project of PROJECTS) tallies.push(await vitest(project, folder));
  rmSync(folder, { recursive: true });
  return report([...checks, ...tallies]);
}

/**
 * One of the checks that are no test files, run by a program from `node_modules`.
 *
 * @param {string} name
 * @param {readonly [module: string, script: string]} program
 * @param {readonly string[]} parameters
 * @returns {Promise<Tally>}
 */
function check(name, [module, script], parameters) {
  const path = join(ROOT, 'node_modules', module, script);
  return step(name, async () => {
    const { code, said } = await runQuietly(process.execPath, [path, ...parameters]);
    process.stdout.write(said);
    return code;
  });
}

/**
 * @param {string} name
 * @param {() => Promise<number>} work resolves to 0 where it went well
 * @returns {Promise<Tally>}
 */
async function step(name, work) {
  const startedAt = performance.now();
  const code = await work().catch((/** @type {unknown} */ error) => {
    console.error(error);
    return 1;
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'passed' : 'FAILED'}  ${name} (${seconds} s)`);
  return code === 0 ? { passed: 1, failed: 0, skipped: [] } : { passed: 0, failed: 1, skipped: [] };
}

/**
 * Runs the test files of a project and counts from its report.
 *
 * @param {string} project
 * @param {string} folder
 * @returns {Promise<Tally>}
 */
async function vitest(project, folder) {
  const output = join(folder, `${project}.json`);
  const code = await run(process.execPath, [
    join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    `--project=${project}`,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${output}`,
  ]);
  const tally = readTally(output);
  // A file that cannot be loaded, or an error outside a test, fails the project without failing a test.
  const failed = code !== 0 && tally.failed === 0 ? 1 : tally.failed;
  return { ...tally, failed };
}

/**
 * @param {string} path
 * @returns {Tally}
 */
function readTally(path) {
  /** @type {{ testResults: { name: string, status: string, assertionResults: { status: string, fullName: string }[] }[] }} */
  let report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    console.error('The tests left no report.', error);
    return { passed: 0, failed: 1, skipped: [] };
  }
  /** @type {Tally} */
  const tally = { passed: 0, failed: 0, skipped: [] };
  for (const file of report.testResults) {
    if (file.status === 'failed' && file.assertionResults.length === 0) tally.failed += 1;
    for (const { status, fullName } of file.assertionResults) {
      if (status === 'passed') tally.passed += 1;
      else if (status === 'failed') tally.failed += 1;
      else tally.skipped.push(`${relative(ROOT, file.name)}: ${fullName}`);
    }
  }
  return tally;
}

/**
 * @param {readonly Tally[]} tallies
 * @returns {number} the exit code
 */
function report(tallies) {
  const skipped = tallies.flatMap((tally) => tally.skipped);
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
  const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
  console.log(`\n${skipped.length} skipped`);
  for (const name of skipped) console.log(`  ${name}`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
