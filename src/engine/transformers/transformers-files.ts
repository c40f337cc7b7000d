import { env, type Tensor } from '@huggingface/transformers';
import asyncifyModule from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url';
import asyncifyWasm from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url';
import jspiModule from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.mjs?url';
import jspiWasm from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.wasm?url';
import plainModule from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import plainWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { EngineError } from '../../core/models/engine.ts';
import type { Device, ModelEntry } from '../../core/models/model-entry.ts';
import { filesOf } from '../files/model-folder.ts';

/** The name by which transformers.js is asked for the one model of a realm. */
export const MODEL = 'model';
/** Where transformers.js is told that models are; nothing is ever asked of it. */
const ADDRESS = `${location.origin}/on-this-device/`;

env.allowLocalModels = false;
env.useBrowserCache = false;
// Its cache imports the runtime from a blob, which the page's policy refuses.
env.useWasmCache = false;
env.remoteHost = ADDRESS;
env.remotePathTemplate = '{model}';

/**
 * Makes transformers.js read this model's files from this device, and ONNX Runtime its own wasm from
 * here: the small one on the processor; for the GPU the one that suspends by itself where the browser can
 * do that, else the larger. Returns the files. Throws `EngineError` `missing-file`.
 */
export async function openModel(
  model: ModelEntry,
  device: Device,
): Promise<ReadonlyMap<string, File>> {
  const files = await filesOf(model);
  env.fetch = (asked) => Promise.resolve(answer(files, String(asked)));
  Object.assign(env.backends.onnx.wasm ?? {}, { wasmPaths: runtimeOf(device) });
  return files;
}

/** What a model that did not load is told as. */
export function notLoadable({ name }: ModelEntry, error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const why = error instanceof Error ? error.message : String(error);
  if (/out of memory|bad_alloc|allocation failed|Array buffer allocation/iu.test(why)) {
    return new EngineError(
      'no-memory',
      `${name} needs more memory than this device has left (${why}). Close other tabs, or take a smaller model.`,
      { cause: error },
    );
  }
  return new EngineError(
    'not-loadable',
    `${name} cannot be loaded: ${why}. Add or download its files again.`,
    { cause: error },
  );
}

/** A tensor by its name among what a model takes or gives. */
export function tensorIn(outputs: unknown, name: string): Tensor {
  const value: unknown =
    typeof outputs === 'object' && outputs !== null ? Reflect.get(outputs, name) : undefined;
  if (isTensor(value)) return value;
  throw new Error(`it gives no ${name}`);
}

function isTensor(value: unknown): value is Tensor {
  return typeof value === 'object' && value !== null && 'dims' in value && 'data' in value;
}

function runtimeOf(device: Device): { readonly mjs: string; readonly wasm: string } {
  if (device !== 'webgpu') return { mjs: absolute(plainModule), wasm: absolute(plainWasm) };
  return 'Suspending' in WebAssembly
    ? { mjs: absolute(jspiModule), wasm: absolute(jspiWasm) }
    : { mjs: absolute(asyncifyModule), wasm: absolute(asyncifyWasm) };
}

/** A file as the library asks for it; what is not there is 404, and nothing is asked of any server. */
function answer(files: ReadonlyMap<string, File>, address: string): Response {
  const file = files.get(address.slice(`${ADDRESS}${MODEL}/`.length));
  if (file === undefined) return new Response(null, { status: 404 });
  return new Response(file, { headers: { 'content-length': String(file.size) } });
}

function absolute(url: string): string {
  return new URL(url, location.href).href;
}
