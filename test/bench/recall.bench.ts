/**
 * Recall at size, from the page through the worker and back: time, exactness against brute force, what
 * memory allows, and other libraries over the same nodes.
 */
import { RecallIndex } from '../../src/core/recall/index/recall-index.ts';
import { RECALL_SETTINGS, type RecallMode } from '../../src/core/recall/index/recall-types.ts';
import { strideOf } from '../../src/core/recall/index/kernel.ts';
import { startRecallWorker, type RecallWorker } from '../../src/work/recall-client.ts';
import { makeKernel } from '../../src/work/simd-kernel.ts';
import type { Measure } from './storage.bench.ts';
import bandwidth from './support/bandwidth.wat';
import { bruteForce } from './support/brute-force.ts';
import {
  drawQueries,
  ENCODER,
  idOf,
  makeCorpus,
  putOf,
  recallQueryOf,
  type Corpus,
  type DrawnQuery,
} from './support/recall-corpus.ts';
import { miniSearch, oramaHybrid, type Peer } from './support/recall-peers.ts';

const QUERIES = 200;
const BATCH = 2_000;
const CHECKED = 5;
/** Read and scanned at least, by small indexes several times over, in bytes. */
const SCANNED_BYTES = 100e6;
const HEAD = { seq: 1, hash: 'bench' };
const making = { settings: RECALL_SETTINGS, encoder: ENCODER };

/** Measures recall at 10,000 and 100,000 nodes; `full` adds a million. */
export async function run(full: boolean): Promise<readonly Measure[]> {
  const measures: Measure[] = [];
  for (const size of [10_000, 100_000, ...(full ? [1_000_000] : [])]) {
    measures.push(...(await measure(size)));
  }
  return measures;
}

async function measure(size: number): Promise<readonly Measure[]> {
  const of = `of ${size.toLocaleString('en')}`;
  const corpus = makeCorpus(size);
  const queries = drawQueries(corpus, QUERIES);
  const recall = startRecallWorker();
  await recall.open('bench', making, null);
  const [builtMs] = await timed(() => feed(recall, corpus));
  const measures: Measure[] = [{ name: `build ${of}`, value: builtMs, unit: 'ms' }];
  const [firstMs] = await timed(() => askAll(recall, queries.slice(0, 1), 'fused'));
  measures.push({ name: `first question ${of}`, value: firstMs, unit: 'ms' });
  // As it is in use: the browser compiles what runs often, in the first hundred or so.
  await askAll(recall, queries, 'fused');
  const ours = new Map<RecallMode, Asked>();
  for (const mode of ['fused', 'bm25', 'encoder'] as const) {
    const asked = await askAll(recall, queries, mode);
    ours.set(mode, asked);
    measures.push(
      { name: `${mode} ${of}, worker hop included (median)`, value: asked.median, unit: 'ms' },
      { name: `${mode} ${of}, worker hop included (p95)`, value: asked.p95, unit: 'ms' },
      { name: `${mode} ${of}, node among the 10 found`, value: asked.recall, unit: '%' },
    );
  }
  measures.push(...(await checkExact(recall, corpus, queries)).map(nameOf(of)));
  measures.push(...(await measureChanges(recall, corpus)).map(nameOf(of)));
  measures.push(...(await measureStored(recall, size)).map(nameOf(of)));
  recall.stop();
  measures.push(...measureScan(corpus, queries).map(nameOf(of)));
  const peer = size === 10_000 ? oramaHybrid : size === 100_000 ? miniSearch : null;
  if (peer !== null) {
    measures.push(...(await measurePeer(await peer(corpus), queries, ours)).map(nameOf(of)));
  }
  return measures;
}

function nameOf(of: string) {
  return ({ name, value, unit }: Measure): Measure => ({ name: `${name} ${of}`, value, unit });
}

async function feed(recall: RecallWorker, corpus: Corpus): Promise<void> {
  for (let from = 0; from < corpus.size; from += BATCH) {
    const nodes = Math.min(BATCH, corpus.size - from);
    const changes = Array.from({ length: nodes }, (_, at) => putOf(corpus, from + at));
    await recall.apply('bench', { head: HEAD, changes });
  }
}

interface Asked {
  readonly median: number;
  readonly p95: number;
  /** Per cent of the queries that found the node they were drawn from. */
  readonly recall: number;
}

async function askAll(
  recall: RecallWorker,
  queries: readonly DrawnQuery[],
  mode: RecallMode,
): Promise<Asked> {
  return await askEach(queries, async (query) => {
    const found = await recall.query('bench', recallQueryOf(query, mode));
    return found.map(({ nodeId }) => nodeId);
  });
}

async function askEach(
  queries: readonly DrawnQuery[],
  ask: (query: DrawnQuery) => Promise<readonly string[]>,
): Promise<Asked> {
  const times: number[] = [];
  let hits = 0;
  for (const query of queries) {
    const [ms, ids] = await timed(() => ask(query));
    times.push(ms);
    if (ids.includes(idOf(query.node))) hits += 1;
  }
  times.sort((one, other) => one - other);
  const at = (part: number) => times[Math.floor(times.length * part)] ?? 0;
  return { median: at(0.5), p95: at(0.95), recall: (100 * hits) / queries.length };
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [number, T]> {
  const began = performance.now();
  const value = await work();
  return [performance.now() - began, value];
}

/** Throws where an answer is not what brute force gives. */
async function checkExact(
  recall: RecallWorker,
  corpus: Corpus,
  queries: readonly DrawnQuery[],
): Promise<readonly Measure[]> {
  for (const query of queries.slice(0, CHECKED)) {
    const found = await recall.query('bench', recallQueryOf(query, 'fused'));
    const ids = found.map(({ nodeId }) => nodeId);
    const wanted = bruteForce(corpus, query);
    if (JSON.stringify(ids) !== JSON.stringify(wanted)) {
      throw new Error(`recall is not exact: ${ids.join()} instead of ${wanted.join()}`);
    }
  }
  return [{ name: `of ${CHECKED} queries equal to brute force`, value: 100, unit: '%' }];
}

/** One node more, one node changed, each a message of its own. */
async function measureChanges(recall: RecallWorker, corpus: Corpus): Promise<readonly Measure[]> {
  const times: number[] = [];
  for (let at = 0; at < 200; at += 1) {
    const node = { ...putOf(corpus, at), id: at % 2 === 0 ? idOf(at) : `new ${at}` };
    const change = { ...node, step: corpus.size + at };
    const [ms] = await timed(() => recall.apply('bench', { head: HEAD, changes: [change] }));
    times.push(ms);
  }
  times.sort((one, other) => one - other);
  return [
    { name: 'one node added or changed (median)', value: times[100] ?? 0, unit: 'ms' },
    { name: 'one node added or changed (p95)', value: times[190] ?? 0, unit: 'ms' },
  ];
}

async function measureStored(recall: RecallWorker, size: number): Promise<readonly Measure[]> {
  const [storedMs, stored] = await timed(() => recall.store('bench'));
  const bytes = [...stored.values()].reduce((sum, part) => sum + part.byteLength, 0);
  await recall.close('bench');
  const [openedMs, { refusal }] = await timed(() => recall.open('bench', making, stored));
  if (refusal !== null) throw new Error(`the stored index was refused: ${refusal}`);
  return [
    { name: 'storing', value: storedMs, unit: 'ms' },
    { name: 'opening a stored index', value: openedMs, unit: 'ms' },
    { name: 'bytes a node, stored', value: bytes / size, unit: 'bytes' },
  ];
}

/** The scan alone, on this thread, beside reading as many bytes as fast as one thread can. */
function measureScan(corpus: Corpus, queries: readonly DrawnQuery[]): readonly Measure[] {
  const kernel = makeKernel();
  const index = new RecallIndex({
    tokenizer: { id: 'none', tokenize: () => [] },
    settings: RECALL_SETTINGS,
    encoder: ENCODER,
    kernel,
  });
  for (let node = 0; node < corpus.size; node += 1) {
    index.apply({ ...putOf(corpus, node), fields: { topic: '', scope: '', anchor: '' } });
  }
  const bytes = Math.floor((corpus.size * strideOf(ENCODER.dimension)) / 64) * 64;
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65536) });
  new Uint8Array(memory.buffer).fill(1);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bandwidth), {
    grove: { memory },
  });
  const { read } = exports;
  if (typeof read !== 'function') throw new TypeError('bandwidth.wat exports no read');
  // Turn and turn about, so that both meet the same machine; the least is what it can do.
  const asked = queries.map((query) => recallQueryOf(query, 'encoder'));
  // Often enough that the clock, which ticks every 0.1 ms, tells them apart.
  const often = Math.max(1, Math.ceil(SCANNED_BYTES / bytes));
  const times = queries.slice(0, 20).map((_, turn) => {
    const began = performance.now();
    for (let time = 0; time < often; time += 1) read(0, bytes);
    const between = performance.now();
    for (let time = 0; time < often; time += 1) {
      const query = asked[(turn * often + time) % asked.length];
      if (query !== undefined) index.query(query);
    }
    return {
      read: (between - began) / often,
      scan: (performance.now() - between) / often,
    };
  });
  const readMs = Math.max(0.001, Math.min(...times.map((time) => time.read)));
  const scanMs = Math.min(...times.map((time) => time.scan));
  return [
    { name: `reading ${(bytes / 1e6).toFixed(1)} MB`, value: readMs, unit: 'ms' },
    { name: 'vector scan with its 200 best', value: scanMs, unit: 'ms' },
    { name: 'vector scan against reading', value: scanMs / readMs, unit: '×' },
  ];
}

async function measurePeer(
  peer: Peer,
  queries: readonly DrawnQuery[],
  ours: ReadonlyMap<RecallMode, Asked>,
): Promise<readonly Measure[]> {
  const { name, builtMs } = peer;
  const { median, recall } = await askEach(queries.slice(0, 20), (query) => peer.ask(query));
  const fused = ours.get('fused')?.median ?? 0;
  return [
    { name: `${name}, built`, value: builtMs, unit: 'ms' },
    { name: `${name} (median)`, value: median, unit: 'ms' },
    { name: `${name}, node among the 10 found`, value: recall, unit: '%' },
    { name: `${name} against fused`, value: median / fused, unit: '×' },
  ];
}
