import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const CORE = join(ROOT, 'src/core');

const files = readdirSync(CORE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => join(CORE, path));

/** What the language itself offers that could come out differently a second time. */
const IMPURE = /\bMath\.random\b|\bDate\.now\b|\bnew Date\(\)|\bIntl\.|\btoLocale/u;

/** Cancelling is the one thing of the platform that core's ports speak of. */
const GLOBALS = `
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}`;

test('core compiles without a DOM, a worker or Node around it', { timeout: 120_000 }, () => {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2024,
    lib: ['lib.es2024.d.ts'],
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const globals = join(ROOT, 'core-globals.d.ts');
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === globals || fileExists(name);
  host.getSourceFile = (name, version, ...rest) =>
    name === globals
      ? ts.createSourceFile(name, GLOBALS, version)
      : getSourceFile(name, version, ...rest);
  const program = ts.createProgram([globals, ...files], options, host);
  const problems = files.flatMap((file) => {
    const source = program.getSourceFile(file);
    return source === undefined ? [] : program.getSemanticDiagnostics(source);
  });
  const messages = problems.map(
    ({ file, messageText }) =>
      `${relative(ROOT, file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  );
  expect(messages).toEqual([]);
});

test('core asks no clock, no chance and no locale', () => {
  const wrong = files.filter((file) => IMPURE.test(readFileSync(file, 'utf8')));
  expect(wrong.map((file) => relative(ROOT, file))).toEqual([]);
});
