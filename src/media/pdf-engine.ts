/** pdf.js and everything it reads, all from this origin. Imported only when a PDF comes. */
import { getDocument, PDFWorker, VerbosityLevel, type PDFDocumentProxy } from 'pdfjs-dist';
import PdfWorker from 'pdfjs-dist/build/pdf.worker.min.mjs?worker';

/** Addresses of the character maps, standard fonts and image decoders, by file name. */
const DATA_URLS = new Map(
  Object.entries<string>({
    ...import.meta.glob<string>('../../node_modules/pdfjs-dist/cmaps/*.bcmap', {
      query: '?url&no-inline',
      import: 'default',
      eager: true,
    }),
    ...import.meta.glob<string>('../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}', {
      query: '?url&no-inline',
      import: 'default',
      eager: true,
    }),
    ...import.meta.glob<string>('../../node_modules/pdfjs-dist/wasm/*.wasm', {
      query: '?url&no-inline',
      import: 'default',
      eager: true,
    }),
  }).map(([path, url]) => [path.slice(path.lastIndexOf('/') + 1), url]),
);

/** Hands pdf.js the data files that a document turns out to need. */
class BundledData {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const url = DATA_URLS.get(filename);
    if (url === undefined) throw new Error(`pdf.js has no file ${filename}`);
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${filename}: HTTP ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }
}

/** Opens a document in a worker of its own. `close` ends both. Throws pdf.js's own errors. */
export async function openDocument(
  bytes: Uint8Array<ArrayBuffer>,
  signal?: AbortSignal,
): Promise<{ document: PDFDocumentProxy; close: () => Promise<void> }> {
  signal?.throwIfAborted();
  const port = new PdfWorker();
  const worker = PDFWorker.create({ port });
  const task = getDocument({
    data: bytes,
    worker,
    BinaryDataFactory: BundledData,
    // Only their presence matters: `BundledData` goes by file name.
    cMapUrl: 'pdf/',
    standardFontDataUrl: 'pdf/',
    wasmUrl: 'pdf/',
    useWorkerFetch: false,
    isEvalSupported: false,
    // A standard font is then always the bundled one, the same on every machine.
    useSystemFonts: false,
    enableXfa: false,
    stopAtErrors: false,
    verbosity: VerbosityLevel.ERRORS,
  });
  const close = async () => {
    await task.destroy();
    worker.destroy();
    port.terminate();
  };
  const abort = () => void close();
  signal?.addEventListener('abort', abort);
  try {
    return { document: await task.promise, close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
