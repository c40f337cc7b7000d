import type { ModelEntry } from '../../core/models/model-entry.ts';
import type { DamagedFile, HeldModel } from '../../core/models/model-store.ts';

/** A file as a person's folder holds it. */
export interface GivenFile {
  /** Below the folder that was picked. */
  readonly path: string;
  readonly file: Blob;
}

/** How files come in: from a server, from a person's files, or only those that are damaged. */
export type BringKind = 'download' | 'folder' | 'repair';

/** Where a model stands. Bytes are of all its files together; `of` is exact where `isExact`. */
export type Standing =
  /** Nothing of it is here. */
  | { readonly type: 'absent' }
  /** Some bytes came, in this visit or an earlier one; a download goes on from there. */
  | {
      readonly type: 'partial';
      readonly bytes: number;
      readonly of: number;
      readonly isExact: boolean;
      /** `folder`: only the same folder can complete it, unless it has a source too. */
      readonly from: 'download' | 'folder';
      /** Another tab brings it in right now. */
      readonly isElsewhere: boolean;
    }
  /** Its turn has not come: one model is brought in at a time, and one checked. */
  | { readonly type: 'waiting'; readonly for: BringKind | 'check' }
  | {
      readonly type: 'bringing';
      readonly kind: BringKind;
      /** Which file of how many, from 1; 0 while the hub is asked what files there are. */
      readonly file: number;
      readonly files: number;
      readonly path: string;
      readonly bytes: number;
      readonly of: number;
      readonly isExact: boolean;
      /** null until it can be known. */
      readonly bytesPerSecond: number | null;
      readonly secondsLeft: number | null;
    }
  /** The person stopped it for now. */
  | {
      readonly type: 'paused';
      readonly kind: BringKind;
      readonly bytes: number;
      readonly of: number;
      readonly isExact: boolean;
    }
  /** Every byte is read and hashed again. */
  | {
      readonly type: 'checking';
      readonly path: string;
      readonly bytes: number;
      readonly of: number;
    }
  | {
      readonly type: 'damaged';
      readonly files: readonly DamagedFile[];
      readonly bytes: number;
      /** Whether a repair can download them; otherwise it asks for the files. */
      readonly canDownload: boolean;
    }
  | {
      readonly type: 'held';
      readonly bytes: number;
      readonly files: number;
      /** ISO 8601: when every byte was last read and its hash was right; null: only the sizes were looked at. */
      readonly checkedAt: string | null;
      readonly addedAt: string;
    };

/** A model of the registry, or one that a person added, and where it stands on this device. */
export interface LibraryModel {
  /** As it is here or on its way; as the registry has it where nothing of it is here. */
  readonly entry: ModelEntry;
  readonly isRegistered: boolean;
  readonly standing: Standing;
  /** What can be used now; also while a newer one with its name is on the way. */
  readonly held: HeldModel | null;
  /** Why the last thing asked of it did not go through, and what to do. */
  readonly problem: string | null;
  /** What is good to know beside it: that the hub's list could not be read, for example. */
  readonly note: string | null;
  /**
   * Bytes that the browser has too little room for, told before a download begins; it begins all the
   * same by `download(entry, { despiteRoom: true })`. null: enough, or not known.
   */
  readonly roomShortBytes: number | null;
}
