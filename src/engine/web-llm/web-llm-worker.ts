/** Runs one model in WebLLM off the page's thread; a failure ends what this worker is good for. */
import { serveEngine } from '../protocol/engine-host.ts';
import { webLlmRuntime } from './web-llm-runtime.ts';

serveEngine(self, webLlmRuntime());
