import type { BankManifest } from '../../bank/operation.ts';
import type { BankInfo, LogHead } from '../../ports.ts';
import type { BundleManifest, Lineage } from './bundle-format.ts';
import type { BundleRun } from './bundle-progress.ts';
import type { ExportPreview } from './preview.ts';
import type { LeftOutImage } from './write-bundle.ts';

export interface ExportOptions extends BundleRun {
  /** Whole source images, too. By default crops alone. */
  readonly sources?: boolean | undefined;
  /** Encrypts the file. Not kept anywhere: without it nobody opens the file again. */
  readonly passphrase?: string | undefined;
}

/** A bundle as a file; `File` is what the platform calls one. */
export interface ExportedBundle<File> {
  readonly file: File;
  /** After the bank's name, safe on any disk: `metro-lines.grove`. */
  readonly fileName: string;
  readonly manifest: BundleManifest;
  /** Images that stayed out, and why. */
  readonly leftOut: readonly LeftOutImage[];
}

/** What to do where a bank of the same id is here already. */
export type ImportAs =
  /** Take the place of it, where the file goes on from it. */
  | { readonly type: 'update' }
  /** A bank of its own beside it, under a new id. The log stays the same: its hashes do not name the bank. */
  | { readonly type: 'copy'; readonly id: string; readonly name?: string | undefined };

export interface ImportOptions extends BundleRun {
  /** ISO 8601. */
  readonly now: string;
  readonly fileName: string;
  readonly passphrase?: string | undefined;
  readonly as?: ImportAs | undefined;
}

/**
 * A bank from outside: checked to its last byte, whole, and shown in no list of banks, so that nothing
 * is ever retrieved from it, until a person trusts it (DESIGN.md §3). It is held beside the log, not in
 * it: the log stays the one its author wrote, down to the hash of its head, so that a bank that was
 * imported and trusted is exported as the very same bytes, a frozen bank stays frozen, and a newer
 * bundle from the same author still goes on from it.
 */
export interface HeldBank {
  /** What it is read and decided by. `readLog`, `readSnapshot` and the like of the bank store take it. */
  readonly heldId: string;
  readonly manifest: BankManifest;
  readonly head: LogHead;
  readonly importedAt: string;
  readonly fileName: string;
  /** What trusting it does: add a bank, put it in the place of an older one, or add a copy. */
  readonly relation: 'new' | 'newer' | 'copy';
  readonly counts: BundleManifest['counts'];
  readonly lineage: Lineage;
  /** Images that its log names and that were not in the file. */
  readonly leftOut: { readonly crops: number; readonly images: number };
}

/** What came of an import that was not refused. Only `held` changed anything. */
export type ImportOutcome =
  | { readonly type: 'held'; readonly bank: HeldBank }
  | { readonly type: 'already-held'; readonly bank: HeldBank }
  /** The same log is here. `sameSettings` is false where its name or settings differ from the file's. */
  | { readonly type: 'already-here'; readonly bankId: string; readonly sameSettings: boolean }
  /**
   * A bank of that id is here, and nobody said what to do: the file is `newer` (import again as
   * `update` or `copy`), `older` or `diverged` (as `copy`, or not at all).
   */
  | {
      readonly type: 'newer' | 'older' | 'diverged';
      readonly bankId: string;
      readonly name: string;
      readonly here: LogHead;
      readonly file: LogHead;
    };

/**
 * Banks as files. Everything heavy runs in a worker. Each call throws `StorageError`; those that read
 * or write a bundle throw `BundleError`, or the signal's reason after an abort, and leave nothing behind.
 */
export interface BundleStore<File> {
  /** What an export would let out, before it does. */
  previewExport(
    bankId: string,
    options?: Pick<ExportOptions, 'sources' | 'signal' | 'onProgress'>,
  ): Promise<ExportPreview>;
  exportBundle(bankId: string, options?: ExportOptions): Promise<ExportedBundle<File>>;
  /** Reads a `.grove` file, checks all of it, and holds its bank. */
  importBundle(file: File, options: ImportOptions): Promise<ImportOutcome>;
  /** Banks that wait to be trusted, oldest first. */
  listHeld(): Promise<readonly HeldBank[]>;
  /**
   * A person trusts a held bank: one write makes it a bank like any other.
   *
   * @throws StorageError `head-moved` where the bank it would replace, or that had no such id, changed since.
   */
  trustHeld(heldId: string): Promise<BankInfo>;
  /** Throws a held bank away, with the images that nothing else uses. */
  discardHeld(heldId: string): Promise<void>;
}
