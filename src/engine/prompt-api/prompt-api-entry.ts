import type { LanguageEntry } from '../../core/models/model-entry.ts';
import {
  browserLanguageModel,
  modelOptions,
  type BrowserAvailability,
} from './prompt-api-model.ts';

/** Tokens that the browsers that have a model give it, at least. */
const CONTEXT = 4096;
const PROMPT_BUDGET = 2560;
/** No browser says what an image costs, so the real count is asked for at each call. */
const IMAGE_TOKENS = 520;
const IMAGE_SIDE_PX = 768;

/** The browser's own model as one of Grove's, and whether it has to be downloaded first. */
export interface BrowserModel {
  readonly entry: LanguageEntry;
  readonly availability: Exclude<BrowserAvailability, 'unavailable'>;
}

/** The model that this browser brings along, with eyes where it has some; null where it has none. */
export async function browserModel(): Promise<BrowserModel | null> {
  const model = browserLanguageModel();
  if (model === null) return null;
  const seeing = await availabilityOf(() => model.availability(modelOptions({ images: true })));
  if (seeing !== 'unavailable') return { entry: entryOf(true), availability: seeing };
  const reading = await availabilityOf(() => model.availability(modelOptions({ images: false })));
  return reading === 'unavailable' ? null : { entry: entryOf(false), availability: reading };
}

/** A browser that does not know what is asked about refuses to say. */
async function availabilityOf(
  ask: () => Promise<BrowserAvailability>,
): Promise<BrowserAvailability> {
  try {
    return await ask();
  } catch {
    return 'unavailable';
  }
}

function entryOf(sees: boolean): LanguageEntry {
  return {
    id: 'browser-model',
    name: 'The browser’s own model',
    roles: sees ? ['text', 'vision'] : ['text'],
    runtime: 'browser',
    source: null,
    dtype: { browser: 'compiled' },
    requires: [],
    files: [],
    approximateBytes: 0,
    memoryBytes: 0,
    language: {
      architecture: sees ? 'image-text' : 'causal',
      context: CONTEXT,
      promptBudget: PROMPT_BUDGET,
      // Its family is not said, so boxes are asked for as Grove has them, which the prompt explains.
      images: sees
        ? { longestSidePx: IMAGE_SIDE_PX, tokensEach: IMAGE_TOKENS, boxes: 'fraction' }
        : null,
      library: null,
      selfTest: {
        question: 'How much is 2 + 3? Answer with one digit only.',
        answer: '5',
        maxNewTokens: 24,
      },
    },
    otherwise: null,
    licence: 'as the browser’s maker says',
    notes: 'The browser keeps its files, chooses its version and says how large it is.',
  };
}
