import type { ModelEntry } from '../../core/models/model-entry.ts';
import type { FileProgress } from '../../core/models/model-store.ts';

/** Counts over all files of a model while they come one after the other. */
export interface ProgressOver {
  /** Returns what is told of the file while it comes. */
  begin(path: string): (report: { readonly bytes: number; readonly before?: number }) => void;
  /** The file is done. */
  end(bytes: number): void;
  /** Bytes that have yet to come; null where not every size is known. */
  left(): number | null;
}

export function progressOver(
  { files, approximateBytes }: Pick<ModelEntry, 'files' | 'approximateBytes'>,
  tell: ((progress: FileProgress) => void) | undefined,
): ProgressOver {
  const isExact = files.every(({ bytes }) => bytes !== null);
  const known = files.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  const most = isExact ? known : Math.max(known, approximateBytes);
  let [file, before, now] = [0, 0, 0];
  /** Bytes that came in this work, and those of files that ended in it. */
  let [came, cameBefore] = [0, 0];
  let path = '';
  const say = () => {
    const bytes = before + now;
    const of = isExact ? most : Math.max(most, bytes);
    tell?.({ path, file, files: files.length, bytes, came: cameBefore + came, of, isExact });
  };
  return {
    begin(next) {
      file += 1;
      [path, now, came] = [next, 0, 0];
      say();
      return (report) => {
        now = report.bytes;
        came = report.bytes - (report.before ?? 0);
        say();
      };
    },
    end(bytes) {
      before += bytes;
      // A file that was there already told nothing.
      if (now > 0) came += bytes - now;
      cameBefore += came;
      [now, came] = [0, 0];
      say();
    },
    left: () => (isExact ? Math.max(0, most - before - now) : null),
  };
}
