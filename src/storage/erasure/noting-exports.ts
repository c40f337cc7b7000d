import type { BundleStore } from '../../core/transfer/bundle/bundle-store.ts';
import type { ExportNotes } from './export-notes.ts';

/** The same store, which notes each bundle before it hands it out. */
export function notingExports<File>(
  bundles: BundleStore<File>,
  exports: ExportNotes,
): BundleStore<File> {
  return {
    ...bundles,
    async exportBundle(bankId, options) {
      const made = await bundles.exportBundle(bankId, options);
      const { fileName, manifest } = made;
      const at = new Date().toISOString();
      await exports.note({ kind: 'bundle', bankId, fileName, at, head: manifest.head });
      return made;
    },
  };
}
