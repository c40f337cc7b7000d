import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { ensureDependencies } from './dependencies.mjs';
import { ensureChromium } from './ensure-chromium.mjs';
import { ROOT } from './root.mjs';

/**
 * `npm run bench`: measures the built app and the parts it is made of, in a real browser; prints a
 * table and writes `bench-results.json`. `-- --full` takes the full counts; `-- NAME` one part alone.
 */
const RESULTS = join(ROOT, 'bench-results.json');

/**
 * @typedef {{ name: string, value: number, unit: string }} Measure
 */

process.exitCode = await bench();

async function bench() {
  if (!(await ensureDependencies()) || !(await ensureChromium())) return 1;
  const full = process.argv.includes('--full');
  const only = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const wanted = (/** @type {string} */ part) => only.length === 0 || only.includes(part);
  /** @type {Record<string, readonly Measure[]>} */
  const results = {};
  for await (const { part, measures } of parts({ full, wanted })) {
    results[part] = measures;
    print(part, measures);
  }
  const machine = {
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
  const report = { at: new Date().toISOString(), full, machine, results };
  writeFileSync(RESULTS, `${JSON.stringify(report, null, 2)}\n`);
  console.log(`\nWritten to ${RESULTS}`);
  return 0;
}

/**
 * Every part that is wanted, one after another.
 *
 * @param {{ full: boolean, wanted: (part: string) => boolean }} options
 * @returns {AsyncGenerator<{ part: string, measures: readonly Measure[] }, void>}
 */
async function* parts({ full, wanted }) {
  if (wanted('app')) {
    const { benchApp } = await import('./bench/app.mjs');
    yield { part: 'app', measures: await benchApp() };
  }
  const { benchModules } = await import('./bench/modules.mjs');
  yield* benchModules({ full, wanted });
  if (wanted('engine-memory')) {
    const { benchEngineMemory } = await import('./bench/engine-memory.mjs');
    yield { part: 'engine-memory', measures: await benchEngineMemory() };
  }
  if (wanted('open')) {
    const { benchOpen } = await import('./bench/open.mjs');
    yield { part: 'open', measures: await benchOpen({ full }) };
  }
  if (wanted('ask')) {
    const { benchAsk } = await import('./bench/ask.mjs');
    yield { part: 'ask', measures: await benchAsk({ full }) };
  }
  if (wanted('exchange')) {
    const { benchExchange } = await import('./bench/exchange.mjs');
    yield { part: 'exchange', measures: await benchExchange() };
  }
  if (full && wanted('properties')) {
    const { benchProperties } = await import('./bench/properties.mjs');
    yield { part: 'properties', measures: await benchProperties() };
  }
}

/**
 * @param {string} part
 * @param {readonly Measure[]} measures
 */
function print(part, measures) {
  const width = Math.max(...measures.map(({ name }) => name.length));
  console.log(`\n${part}`);
  for (const { name, value, unit } of measures) {
    const digits = value >= 100 ? 0 : value >= 1 ? 1 : 3;
    console.log(`  ${name.padEnd(width)}  ${value.toFixed(digits).padStart(9)} ${unit}`);
  }
}
