import { toSnapshot } from '../../../core/bank/snapshot/write-snapshot.ts';
import type { BankManifest, LogEntry } from '../../../core/bank/operation.ts';
import { canonicalJson, type Hash } from '../../../core/canonical.ts';
import { StorageError } from '../../../core/errors.ts';
import type { BankInfo } from '../../../core/ports.ts';
import { BundleError } from '../../../core/transfer/bundle/bundle-error.ts';
import type {
  HeldBank,
  ImportOptions,
  ImportOutcome,
} from '../../../core/transfer/bundle/bundle-store.ts';
import type { CheckedLog } from '../../../core/transfer/bundle/log-check.ts';
import {
  openBundle,
  readImages,
  readLog,
  type BundleTarget,
  type OpenBundle,
} from '../../../core/transfer/bundle/read-bundle.ts';
import { relationOf, type BankRelation } from '../../../core/transfer/bundle/relation.ts';
import { EMPTY_HEAD, sameHead } from '../../bank-log.ts';
import { bankStore } from '../../bank-store.ts';
import type { Database } from '../../database.ts';
import { withRestoreLock } from '../../locks.ts';
import { IMPORT_PREFIX, type HeldMark } from '../../rows.ts';
import { clearStaged, sweepStaging } from '../staging.ts';
import { openBundleFile } from './bundle-files.ts';
import { heldBank, importRows, sweepImports } from './held-banks.ts';
import { forgetPlaced, imagePlacer } from './placed-images.ts';
import { WriteBehind } from './write-behind.ts';

/** Entries written at a time: eight chunks of the log. */
const ENTRIES_A_WRITE = 512;

/**
 * Reads a `.grove` file into a staging bank, checking everything before anything of it can be used,
 * and holds it there until a person trusts it. Refused or stopped, it leaves nothing.
 *
 * @throws BundleError; StorageError (`quota-exceeded`); the
 * signal's reason after an abort.
 */
export async function importBundle(
  database: Database,
  file: Blob,
  options: ImportOptions,
): Promise<ImportOutcome> {
  const { signal } = options;
  signal?.throwIfAborted();
  try {
    const outcome = await withRestoreLock(async () => {
      await sweepStaging(database);
      const files = await openBundleFile(file, options.passphrase);
      return importAlone(database, await openBundle(files, options), options);
    });
    if (outcome.ok) return outcome.value;
    throw new BundleError('busy', 'Another import or restore is still going on; wait for it.');
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** An import on its way: where it goes, and what stands there. */
interface Import {
  readonly database: Database;
  readonly bundle: OpenBundle;
  readonly options: ImportOptions;
  readonly stagingId: string;
  /** The file's manifest, under another id for a copy. */
  readonly manifest: BankManifest;
  readonly here: BankInfo | undefined;
  readonly writes: WriteBehind;
}

async function importAlone(
  database: Database,
  bundle: OpenBundle,
  options: ImportOptions,
): Promise<ImportOutcome> {
  const manifest = manifestFor(bundle.manifest.bank, options.as);
  const here = await bankStore(database).getBank(manifest.id);
  if (here !== undefined && options.as?.type === 'copy') {
    throw new StorageError('failed', 'A bank with the id of the copy is already here.');
  }
  const known = await knownAlready(database, { manifest, here, head: bundle.manifest.head });
  if (known !== undefined) return known;
  const stagingId = `${IMPORT_PREFIX}${crypto.randomUUID()}`;
  const writes = new WriteBehind();
  try {
    const held = await fill({ database, bundle, options, stagingId, manifest, here, writes });
    if (held.type === 'held') return held;
    await sweepImports(database);
    return held;
  } catch (error) {
    // What is still being written would come after the tidying.
    await writes.settled();
    // Where even this fails, the next import or opening tidies up; the first failure is the one to tell.
    await sweepImports(database).catch(() => undefined);
    throw error;
  } finally {
    await clearStaged(database).catch(() => undefined);
  }
}

function manifestFor(bank: BankManifest, as: ImportOptions['as']): BankManifest {
  if (as?.type !== 'copy') return bank;
  return { ...bank, id: as.id, name: as.name ?? bank.name };
}

/** Where the same log is here, published or held, there is nothing to do. */
async function knownAlready(
  database: Database,
  { manifest, here, head }: Pick<Import, 'manifest' | 'here'> & Pick<BankInfo, 'head'>,
): Promise<ImportOutcome | undefined> {
  const same = (other: BankManifest) => canonicalJson(other) === canonicalJson(manifest);
  if (here !== undefined && sameHead(here.head, head)) {
    return { type: 'already-here', bankId: manifest.id, sameSettings: same(here.manifest) };
  }
  const rows = await database.read('list the imported banks', [database.banks], () =>
    importRows(database),
  );
  const expected = here?.head ?? null;
  const found = rows.find(
    (row) =>
      row.held !== undefined &&
      canonicalJson(row.held.expected) === canonicalJson(expected) &&
      sameHead(row.head, head) &&
      same(row.manifest),
  );
  const bank = found && heldBank(found);
  return bank && { type: 'already-held', bank };
}

async function fill(work: Import): Promise<ImportOutcome> {
  const { database, bundle, options, stagingId, manifest, here, writes } = work;
  const banks = bankStore(database);
  await banks.createStaging(stagingId, manifest);
  const log = logStage(work);
  const checked = await readLog(bundle, log);
  await log.end();
  const relation = await relationTo(work, log.hashHere());
  const chosen = options.as?.type === 'copy' ? 'copy' : relation;
  const mayTake = chosen === 'copy' || chosen === 'new' || options.as?.type === 'update';
  if (chosen === 'same' || chosen === 'older' || chosen === 'diverged' || !mayTake) {
    return refusalOf(work, chosen);
  }
  await leaveSnapshot(work, checked);
  const images = imagePlacer(database, stagingId, writes);
  await readImages(bundle, checked, images);
  await images.end();
  options.signal?.throwIfAborted();
  const mark: HeldMark = {
    importedAt: options.now,
    fileName: options.fileName,
    relation: chosen,
    expected: here?.head ?? null,
    counts: bundle.manifest.counts,
    lineage: bundle.manifest.lineage,
    leftOut: {
      crops: bundle.manifest.leftOut.crops.length,
      images: bundle.manifest.leftOut.images.length,
    },
  };
  return { type: 'held', bank: await hold(work, mark) };
}

/** Writes entries to the staging bank as they come, and remembers the one where the bank here ends. */
function logStage({ database, stagingId, here, writes }: Import) {
  const banks = bankStore(database);
  let head = EMPTY_HEAD;
  let waiting: LogEntry[] = [];
  let hashHere: Hash | undefined;
  const write = async () => {
    const entries = waiting;
    waiting = [];
    await writes.begin(async () => {
      head = await banks.append(stagingId, head, entries);
    });
  };
  return {
    async takeEntries(entries) {
      hashHere ??= entries.find(({ seq }) => seq === here?.head.seq)?.hash;
      for (const entry of entries) {
        waiting.push(entry);
        if (waiting.length === ENTRIES_A_WRITE) await write();
      }
    },
    async end() {
      if (waiting.length > 0) await write();
      await writes.done();
    },
    hashHere: () => hashHere,
  } satisfies Pick<BundleTarget, 'takeEntries'> & Record<string, unknown>;
}

async function relationTo(
  { database, bundle, here }: Import,
  fileAtHere: Hash | undefined,
): Promise<BankRelation> {
  const { head } = bundle.manifest;
  let hereAtFile: Hash | undefined;
  if (here !== undefined && here.head.seq > head.seq && head.seq > 0) {
    const [entry] = await bankStore(database).readLog(here.manifest.id, head.seq - 1);
    hereAtFile = entry?.hash;
  }
  return relationOf(here?.head, head, { fileAtHere, hereAtFile });
}

function refusalOf(
  { bundle, here }: Import,
  relation: Exclude<BankRelation, 'new'>,
): ImportOutcome {
  if (here === undefined) throw new Error('a bank that is not here refuses nothing');
  const { id, name } = here.manifest;
  if (relation === 'same') return { type: 'already-here', bankId: id, sameSettings: true };
  const { head } = bundle.manifest;
  return { type: relation, bankId: id, name, here: here.head, file: head };
}

/** What was replayed once need not be replayed when the bank is opened. */
async function leaveSnapshot({ database, stagingId, bundle }: Import, { tree }: CheckedLog) {
  const { head } = bundle.manifest;
  if (head.seq > 0) await bankStore(database).putSnapshot(stagingId, toSnapshot(tree, head));
}

/** One transaction: the bank is held, and its images are in their place for good. */
async function hold({ database, stagingId }: Import, held: HeldMark): Promise<HeldBank> {
  const { banks, staged } = database;
  return database.write('keep the imported bank', [banks, staged], async () => {
    const row = await banks.get(stagingId);
    if (row === undefined) throw new StorageError('not-found', 'Everything was erased meanwhile.');
    await forgetPlaced(database, stagingId);
    await banks.put({ ...row, held });
    const bank = heldBank({ ...row, held });
    if (bank === undefined) throw new Error('it was just held');
    return bank;
  });
}
