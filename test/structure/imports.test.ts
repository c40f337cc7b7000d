import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const SRC = join(ROOT, 'src');
const MODELS = join(ROOT, 'models');

/** What each part of `src` may import of ours, besides itself (DESIGN.md §8); `models` is data beside `src`. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  gate: ['core'],
  media: ['core'],
  work: ['core'],
  engine: ['core', 'models'],
  remote: ['core'],
  storage: ['core'],
  agents: ['core'],
  cli: [],
  state: ['core'],
  ui: ['state', 'core'],
  'main.ts': ['gate', 'ui', 'compose.ts'],
  'compose.ts': [
    'core',
    'gate',
    'media',
    'work',
    'engine',
    'remote',
    'storage',
    'agents',
    'state',
    'ui',
    'compose-recall.ts',
    'compose-memory.ts',
    'compose-backbones.ts',
    'compose-lazily.ts',
    'compose-models.ts',
    'compose-models-page.ts',
  ],
  'compose-memory.ts': ['core', 'state'],
  'compose-backbones.ts': [
    'compose-lazily.ts',
    'compose-models.ts',
    'core',
    'gate',
    'media',
    'work',
    'remote',
    'storage',
    'state',
  ],
  'compose-lazily.ts': [],
  'compose-models.ts': ['core', 'engine', 'media'],
  'compose-models-page.ts': ['core', 'engine', 'state'],
  'compose-recall.ts': ['core', 'engine', 'work', 'storage', 'state'],
};

/** Libraries that one part alone may import, or one folder of it. */
const HOMES: Readonly<Record<string, string>> = {
  dexie: 'storage',
  ai: 'remote',
  '@ai-sdk/openai-compatible': 'remote',
  '@ai-sdk/provider': 'remote',
  'pdfjs-dist': 'media',
  '@mlc-ai/web-llm': 'engine',
  '@huggingface/transformers': 'engine',
  '@mlc-ai/web-xgrammar': 'engine/grammar',
  'onnxruntime-web': 'engine',
};

const CORE_LIBRARIES = ['zod', '@noble/hashes'];

interface Import {
  readonly file: string;
  readonly part: string;
  readonly specifier: string;
}

function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|mjs|svelte)$/u.test(path))
    .map((path) => join(SRC, path));
}

function partOf(path: string): string {
  return relative(SRC, path).split(sep)[0] ?? '';
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const pattern = /(?:^|[\s;}])(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/gmu;
  return [...text.matchAll(pattern)].map(([, specifier = '']) => ({
    file: relative(ROOT, file),
    part: partOf(file),
    specifier,
  }));
}

/** `@scope/name` or `name` of a library's specifier. */
function libraryOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}

const imports = sourceFiles().flatMap(importsOf);
const ours = imports.filter(({ specifier }) => specifier.startsWith('.'));
const libraries = imports.filter(({ specifier }) => !/^(\.|node:|virtual:)/u.test(specifier));

function targetOf({ file, specifier }: Import): string {
  const path = resolve(ROOT, dirname(file), specifier.replace(/\?.*$/u, ''));
  return path.startsWith(MODELS) ? 'models' : partOf(path);
}

test('imports run one way between the parts of src', () => {
  expect(ours.length).toBeGreaterThan(50);
  const wrong = ours.filter((found) => {
    const target = targetOf(found);
    return target !== found.part && !(ALLOWED[found.part] ?? []).includes(target);
  });
  expect(wrong).toEqual([]);
});

test('every part of src is a part of the design', () => {
  const parts = new Set(sourceFiles().map(partOf));
  expect([...parts].filter((part) => ALLOWED[part] === undefined)).toEqual([]);
});

test('nothing imports the composition root', () => {
  expect(ours.filter((found) => targetOf(found) === 'main.ts')).toEqual([]);
  const composing = ours.filter((found) => targetOf(found) === 'compose.ts');
  expect(composing.every(({ part }) => part === 'main.ts')).toBe(true);
  const recalling = ours.filter((found) => targetOf(found) === 'compose-recall.ts');
  expect(recalling.every(({ part }) => part === 'compose.ts')).toBe(true);
});

test('core uses no library but zod and @noble/hashes', () => {
  const core = libraries.filter(({ part }) => part === 'core');
  const wrong = core.filter(({ specifier }) => !CORE_LIBRARIES.includes(libraryOf(specifier)));
  expect(wrong).toEqual([]);
});

test('a library with a home is imported there alone', () => {
  const wrong = libraries.filter(({ file, specifier }) => {
    const home = HOMES[libraryOf(specifier)];
    return home !== undefined && !file.startsWith(join('src', home) + sep);
  });
  expect(wrong).toEqual([]);
});
