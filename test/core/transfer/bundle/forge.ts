import { strFromU8, strToU8, unzipSync } from 'fflate';
import { EMPTY_LOG, headOf } from '../../../../src/core/bank/log.ts';
import type { LogEntry } from '../../../../src/core/bank/operation.ts';
import { canonicalJson, hashJson } from '../../../../src/core/canonical.ts';
import {
  LOG_PATH,
  MANIFEST_PATH,
  NODES_PATH,
  renderManifest,
  type BundleManifest,
} from '../../../../src/core/transfer/bundle/bundle-format.ts';
import { logChecker } from '../../../../src/core/transfer/bundle/log-check.ts';
import { countNodes, nodeLines } from '../../../../src/core/transfer/bundle/node-lines.ts';
import { blobParts } from '../../../../src/storage/archive/zip/blob-parts.ts';
import { zipWriter } from '../../../../src/storage/archive/zip/zip-writer.ts';

/** The entries of a bundle, in the order they are written. */
export type Files = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

export async function filesOf(file: Blob): Promise<Files> {
  const entries = Object.entries(unzipSync(new Uint8Array(await file.arrayBuffer())));
  return new Map(entries.map(([path, bytes]) => [path, new Uint8Array(bytes)]));
}

/** A sound zip of any entries: text packed, all else as it is. */
export function zipOf(files: Iterable<readonly [string, Uint8Array<ArrayBuffer>]>): Blob {
  const parts = blobParts();
  const zip = zipWriter(parts.push);
  for (const [path, bytes] of files) {
    if (!/\.jsonl?$/u.test(path)) zip.store(path, bytes);
    else {
      const entry = zip.pack(path);
      entry.push(bytes);
      entry.end();
    }
  }
  zip.finish();
  return new Blob([...parts.parts()]);
}

export function textOf(files: Files, path: string): string {
  return strFromU8(files.get(path) ?? new Uint8Array());
}

/** The same entries with one of them another text. */
export function withText(files: Files, path: string, text: string): Files {
  return new Map(files).set(path, new Uint8Array(strToU8(text)));
}

export function manifestIn(files: Files): BundleManifest {
  return JSON.parse(textOf(files, MANIFEST_PATH));
}

/** The same entries with a manifest that says something else, written as Grove writes one. */
export function withManifest(files: Files, over: object): Files {
  const manifest = { ...manifestIn(files), ...over };
  return withText(files, MANIFEST_PATH, renderManifest(manifest));
}

export function linesIn(files: Files, path: string = LOG_PATH): string[] {
  return textOf(files, path).split('\n').slice(0, -1);
}

export function withLines(files: Files, lines: readonly string[], path: string = LOG_PATH): Files {
  return withText(files, path, lines.map((line) => `${line}\n`).join(''));
}

/** Numbers and links entries anew, so that the chain holds whatever they say. */
export function sealed(entries: readonly unknown[]): LogEntry[] {
  const done: LogEntry[] = [];
  let { seq, hash } = EMPTY_LOG;
  for (const entry of entries) {
    seq += 1;
    const { hash: _, ...body } = { ...(entry as LogEntry), seq, prev: hash };
    hash = hashJson(body);
    done.push({ ...body, hash });
  }
  return done;
}

/** What a careful forger makes: another log, with a chain, a head and nodes that fit it where they can. */
export function withLog(files: Files, entries: readonly unknown[]): Files {
  const log = sealed(entries);
  const last = log.at(-1);
  const head = last === undefined ? EMPTY_LOG : headOf(last);
  const lines = withLines(
    files,
    log.map((entry) => canonicalJson(entry)),
  );
  const manifest = manifestIn(files);
  try {
    const checker = logChecker(manifest.bank);
    checker.takeEntries(log);
    const { tree, index } = checker.end(head);
    const nodes = withLines(lines, [...nodeLines(tree)], NODES_PATH);
    const counts = { ...manifest.counts, ...countNodes(tree) };
    return withManifest(nodes, { head, counts, lineage: index.lineage });
  } catch {
    return withManifest(lines, { head });
  }
}
