import { mount, unmount } from 'svelte';
import { page, userEvent } from 'vitest/browser';
import { expect, onTestFinished, test } from 'vitest';
import type { DeviceFacts } from '../../../src/core/models/device-facts.ts';
import { EngineError } from '../../../src/core/models/engine.ts';
import type { EncoderEntry, LanguageEntry } from '../../../src/core/models/model-entry.ts';
import { ModelsState } from '../../../src/state/models/models.svelte.ts';
import type { LibraryModel } from '../../../src/state/models/model-standing.ts';
import { ShellState } from '../../../src/state/shell.svelte.ts';
import {
  FACTS,
  LAPTOP,
  languageEntry,
  loadedModel,
  NO_GPU,
} from '../../core/models/device-examples.ts';
import {
  bringingStanding,
  EncodersDouble,
  heldStanding,
  LibraryDouble,
  libraryModel,
  RackDouble,
  settingsDouble,
  SetUpDouble,
} from './models-double.svelte.ts';
import { axeProblems } from './mounted-app.ts';
import OneModels from './OneModels.svelte';

const vision = {
  roles: ['text' as const, 'vision' as const],
  language: {
    ...FACTS,
    architecture: 'image-text' as const,
    images: { longestSidePx: 640, tokensEach: 400, boxes: 'thousandths' as const },
    selfTest: { question: 'Two plus three?', answer: 'five', maxNewTokens: 8 },
  },
};
const qwen = languageEntry('qwen-2b-vision', {
  name: 'Qwen3.5-2B vision',
  ...vision,
  approximateBytes: 1_870_000_000,
  memoryBytes: 2_430_000_000,
  licence: 'Apache-2.0',
  otherwise: 'qwen-2b-vision-f32',
});
const qwenOther = languageEntry('qwen-2b-vision-f32', {
  name: 'Qwen3.5-2B vision, 32-bit',
  ...vision,
  dtype: { webgpu: 'q4' },
  requires: [],
  approximateBytes: 2_100_000_000,
  memoryBytes: 2_730_000_000,
  licence: 'Apache-2.0',
});
const text = languageEntry('qwen-2b', {
  name: 'Qwen3.5-2B',
  runtime: 'web-llm',
  dtype: { webgpu: 'compiled' },
  approximateBytes: 2_240_000_000,
  memoryBytes: 2_600_000_000,
  licence: 'Apache-2.0',
});
const small = languageEntry('smollm2-360m', {
  name: 'SmolLM2-360M',
  dtype: { webgpu: 'q4f16', wasm: 'q8' },
  approximateBytes: 390_000_000,
  memoryBytes: 500_000_000,
  licence: 'Apache-2.0',
});
const encoder: EncoderEntry = {
  id: 'minilm-l6',
  name: 'all-MiniLM-L6-v2',
  roles: ['encoder'],
  runtime: 'transformers',
  source: { host: 'https://models.example', repository: 'x/y', revision: 'main' },
  dtype: 'q8',
  files: [{ path: 'config.json', bytes: null, sha256: null }],
  approximateBytes: 23_700_000,
  encoder: { dimension: 384, pooling: 'mean', queryPrefix: '', passagePrefix: '', context: 256 },
  licence: 'Apache-2.0',
  notes: 'English.',
};

const held = (entry: LanguageEntry) => libraryModel(entry, heldStanding(entry));
const absent = (entry: LanguageEntry | EncoderEntry) => libraryModel(entry, { type: 'absent' });

async function open(
  listed: readonly LibraryModel[],
  facts: DeviceFacts = LAPTOP,
  {
    reply = 'It is five.',
    settings = settingsDouble(),
    own = null,
  }: {
    reply?: string;
    settings?: ReturnType<typeof settingsDouble>;
    own?: LanguageEntry | null;
  } = {},
) {
  await page.viewport(1280, 900);
  const rack = new RackDouble(
    loadedModel((asked) => ({
      text: reply,
      promptTokens: asked.split(' ').length,
      completionTokens: 20,
      prefillMs: 500,
      decodeMs: 500,
    })),
  );
  const library = new LibraryDouble(listed);
  const solve = new SetUpDouble();
  const encoders = new EncodersDouble();
  const shell = new ShellState({
    readHash: () => '/models',
    dataGoesTo: () => ({ label: 'On this device', remote: false, offline: false }),
    activity: () => null,
    readTheme: () => 'system',
    keepTheme: () => undefined,
  });
  const models = new ModelsState({
    ...{ library, rack, solve, encoders, ...settings },
    own: () => own,
    notify: (message) => shell.notify(message),
    readFacts: async () => facts,
    nowMs: () => performance.now(),
    now: () => '2026-12-03T10:00:00.000Z',
  });
  const images = { acquire: async () => '', release: () => undefined };
  const app = mount(OneModels, { target: document.body, props: { shell, models, images } });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await unmount(app);
    isOpen = false;
  };
  onTestFinished(async () => {
    await close();
    delete document.documentElement.dataset['theme'];
  });
  await expect.element(page.getByRole('heading', { name: 'On this device' })).toBeVisible();
  return { models, library, rack, solve, encoders, shell, settings, close };
}

const roleRow = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`, 'u') });
const card = (name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });
const button = (name: string) => page.getByRole('button', { name, exact: true });

/** A page with models in every state that there is. */
async function openAll(facts: DeviceFacts = LAPTOP) {
  const opened = await open(
    [
      libraryModel(qwen, bringingStanding(qwen)),
      absent(qwenOther),
      held(text),
      libraryModel(
        languageEntry('qwen-08b-vision', {
          name: 'Qwen3.5-0.8B vision',
          ...vision,
          approximateBytes: 668_000_000,
          memoryBytes: 900_000_000,
        }),
        {
          type: 'damaged',
          files: [{ path: 'onnx/vision_encoder_q4f16.onnx', why: 'hash' }],
          bytes: 668_000_000,
          canDownload: true,
        },
      ),
      libraryModel(languageEntry('gemma', { name: 'Gemma 4 E2B', ...vision }), {
        type: 'paused',
        kind: 'download',
        bytes: 400_000_000,
        of: 3_100_000_000,
        isExact: false,
      }),
      libraryModel(languageEntry('own', { name: 'my-merge', source: null }), {
        type: 'checking',
        path: 'onnx/model_q4.onnx',
        bytes: 200_000_000,
        of: 1_000_000_000,
      }),
      held(languageEntry('broken', { name: 'Broken one', approximateBytes: 120_000_000 })),
      libraryModel(
        languageEntry('large', { name: 'Large one', memoryBytes: 40e9 }),
        {
          type: 'absent',
        },
        {
          roomShortBytes: 1_200_000_000,
          problem: 'The server could not be reached: check the network, then resume.',
        },
      ),
      absent(small),
      absent(encoder),
    ],
    facts,
  );
  opened.rack.tell('broken', {
    type: 'failed',
    code: 'no-memory',
    message:
      'Broken one needs more memory than the GPU gives. Close other tabs, or take a smaller model.',
  });
  await opened.models.tests.measure(text);
  opened.rack.tell('qwen-2b', { type: 'ready', device: 'webgpu', calls: 0, usedAtMs: 0 });
  opened.models.choices.choose('controller', 'local:qwen-2b-vision');
  opened.models.choices.choose('organizer', 'local:qwen-2b');
  return opened;
}

test.each(['light', 'dark'] as const)(
  'axe finds nothing serious, %s, wide and narrow',
  async (theme) => {
    const { shell } = await openAll();
    shell.setTheme(theme);
    expect(await axeProblems()).toEqual([]);
    await page.viewport(390, 844);
    expect(await axeProblems()).toEqual([]);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
  },
);

test('the recommended set-up says its bytes, downloads, and its roles go from rules to the model by themselves', async () => {
  const { library, solve } = await open([absent(qwen), absent(small)]);
  await expect
    .element(page.getByText('Qwen3.5-2B vision for controller and organizer'))
    .toBeVisible();
  await button('Use this set-up').click();
  await expect.element(page.getByRole('heading', { name: 'Download 1.9 GB?' })).toBeVisible();
  await expect.element(page.getByRole('dialog')).toHaveTextContent('comes from models.example');
  await button('Download and use it').click();
  await expect.element(roleRow('Controller')).toHaveTextContent('waits, on rules');
  expect(solve.config).toMatchObject({ controller: 'rules', organizer: 'rules' });
  expect(library.asked).toEqual(['download qwen-2b-vision']);
  library.arrive('qwen-2b-vision');
  await expect.element(roleRow('Controller')).toHaveTextContent('loads when needed');
  expect(solve.config).toMatchObject({
    controller: 'local:qwen-2b-vision',
    controllerModel: 'Qwen3.5-2B vision',
    organizer: 'local:qwen-2b-vision',
  });
  await expect
    .element(page.getByText('Qwen3.5-2B vision serves controller and organizer: it is loaded once'))
    .toBeVisible();
  await button('No model, rules only').click();
  expect(solve.config).toMatchObject({ controller: 'rules', organizer: 'rules' });
});

test('a role that waits for a model waits over a reload', async () => {
  const first = await open([absent(qwen)]);
  first.models.choices.choose('organizer', 'local:qwen-2b-vision');
  await first.close();
  const second = await open([held(qwen)], LAPTOP, { settings: first.settings });
  await expect.poll(() => second.solve.config.organizer).toBe('local:qwen-2b-vision');
});

test('without a GPU the page is calm: what works is said, and nothing is downloaded to be told of it', async () => {
  await open([absent(qwen), absent(small)], NO_GPU);
  await expect.element(page.getByText('The browser offers no GPU here.')).toBeVisible();
  await expect.element(page.getByText('Rules, and SmolLM2-360M for the organizer')).toBeVisible();
  expect(page.getByRole('alert').elements()).toEqual([]);
  // What does not run here is there, folded.
  await expect.element(card('SmolLM2-360M')).toBeVisible();
  await expect.element(page.getByText('It needs a GPU')).not.toBeVisible();
  await page.getByText('1 model that does not run on this device').click();
  await expect.element(page.getByText('It needs a GPU')).toBeVisible();
  await button('All limits').click();
  await expect
    .element(page.getByRole('dialog'))
    .toHaveTextContent('WebGPU is there, and it offers no GPU');
});

test('roles offer rules, the solver’s own model, what is here and endpoints; a text-only one is labelled', async () => {
  const { solve } = await open([held(qwen), held(text), absent(small)]);
  const controller = page.getByLabelText('Model for controller');
  const words = [...(controller.element() as HTMLSelectElement).options].map(
    ({ text: word }) => word,
  );
  expect(words).toEqual([
    'Rules: no model',
    'The solver’s own model',
    'Qwen3.5-2B vision',
    'Qwen3.5-2B (text only, it sees no images)',
    'qwen3-vl at localhost:11434',
  ]);
  await controller.selectOptions('The solver’s own model');
  // The simulated solver is no language model.
  await expect.element(roleRow('Controller')).toHaveTextContent('waits, on rules');
  await page.getByLabelText('Model for solver').selectOptions('qwen3-vl at localhost:11434');
  await expect.element(roleRow('Controller')).toHaveTextContent('ready');
  await expect.element(roleRow('Controller')).toHaveTextContent('localhost:11434');
  await controller.selectOptions('Qwen3.5-2B (text only, it sees no images)');
  expect(solve.config).toMatchObject({
    controller: 'local:qwen-2b',
    controllerModel: 'Qwen3.5-2B',
  });
});

test('a model loads, is measured and asked what it must know, and unloads', async () => {
  const { rack, settings } = await open([held(qwen)]);
  await button('Load Qwen3.5-2B vision').click();
  await expect.element(card('Qwen3.5-2B vision')).toHaveTextContent('self-test right');
  await button('Test speed Qwen3.5-2B vision').click();
  await expect
    .element(page.getByRole('group', { name: 'Speed of Qwen3.5-2B vision' }))
    .toHaveTextContent('256 / 1,024 / 2,048');
  expect(settings.kept.get('models.speed')).toHaveProperty('qwen-2b-vision');
  await button('Self-test Qwen3.5-2B vision').click();
  await expect.element(page.getByText('Self-test right: it said “It is five.”')).toBeVisible();
  await button('Unload Qwen3.5-2B vision').click();
  await expect.element(button('Load Qwen3.5-2B vision')).toBeVisible();
  expect(rack.states.size).toBe(0);
});

test('a wrong answer unloads the model, gives its roles to what is here or to rules, and says so', async () => {
  const { models, rack, solve, library } = await open([held(qwen), absent(qwenOther)], LAPTOP, {
    reply: '!!!',
  });
  models.choices.choose('organizer', 'local:qwen-2b-vision');
  await button('Self-test Qwen3.5-2B vision').click();
  await expect.element(page.getByText('it said “!!!”').first()).toBeVisible();
  expect(rack.states.size).toBe(0);
  expect(solve.config.organizer).toBe('rules');
  await button('Download Qwen3.5-2B vision, 32-bit, 2.1 GB').click();
  expect(library.asked).toEqual(['download qwen-2b-vision-f32']);
  library.arrive('qwen-2b-vision-f32');
  models.choices.choose('organizer', 'local:qwen-2b-vision');
  // A load that a run asked for finds the same.
  rack.tell('qwen-2b-vision', { type: 'failed', code: 'wrong-answer', message: 'Wrong.' });
  await expect
    .element(page.getByText('Its roles go to Qwen3.5-2B vision, 32-bit, which is here.').first())
    .toBeVisible();
  expect(solve.config.organizer).toBe('local:qwen-2b-vision-f32');
});

test('what this device is hardly fit for is asked about before it is loaded', async () => {
  const short = { ...LAPTOP, memoryBytes: 2 * 2 ** 30 };
  const { rack } = await open([held(qwen)], short);
  await button('Load Qwen3.5-2B vision').click();
  await expect.element(page.getByRole('dialog')).toHaveTextContent('about 2.4 GB of memory');
  await button('Leave it').click();
  expect(rack.states.size).toBe(0);
  await button('Load Qwen3.5-2B vision').click();
  await button('Load it all the same').click();
  await expect.element(button('Unload Qwen3.5-2B vision')).toBeVisible();
});

test('a load that fails says why on its card', async () => {
  const { rack } = await open([held(text)]);
  rack.refusal = new EngineError(
    'busy',
    'Another tab loads it right now. Wait for it, then try again.',
  );
  await button('Load Qwen3.5-2B').click();
  await expect
    .element(page.getByRole('alert'))
    .toHaveTextContent('Another tab loads it right now.');
  await expect.element(button('Load Qwen3.5-2B')).toBeVisible();
});

test('a model that is deleted leaves its roles to rules; undo gives all of it back', async () => {
  const { models, solve } = await open([held(text)]);
  models.choices.choose('organizer', 'local:qwen-2b');
  await button('Delete Qwen3.5-2B').click();
  await expect
    .element(page.getByRole('status').filter({ hasText: 'Qwen3.5-2B deleted.' }))
    .toBeVisible();
  expect(solve.config.organizer).toBe('rules');
  await button('Undo').click();
  await expect.element(button('Load Qwen3.5-2B')).toBeVisible();
  expect(solve.config.organizer).toBe('local:qwen-2b');
});

test('files dropped on the page are taken in', async () => {
  const { library } = await open([absent(small)]);
  const data = new DataTransfer();
  data.items.add(new File(['{}'], 'config.json'));
  const drag = { bubbles: true, cancelable: true, dataTransfer: data };
  document.querySelector('main')?.dispatchEvent(new DragEvent('dragover', drag));
  await expect.element(page.getByText('Drop a model’s folder to add it')).toBeVisible();
  document.querySelector('main')?.dispatchEvent(new DragEvent('drop', drag));
  await expect.poll(() => library.asked).toEqual(['files: config.json']);
});

test('an address is handed to the library, and what it finds wrong is said in the dialog', async () => {
  const { library } = await open([absent(small)]);
  await button('Add by address').click();
  library.problem = 'There is no model at that address.';
  await page.getByLabelText('Where a hub has it').fill(' owner/name ');
  await userEvent.keyboard('{Enter}');
  await expect
    .element(page.getByRole('dialog'))
    .toHaveTextContent('There is no model at that address.');
  expect(library.asked).toEqual(['address owner/name']);
});

test('a long list is searched by words and kinds', async () => {
  await openAll();
  await page.getByLabelText('Find a model').fill('smol');
  await expect.element(card('SmolLM2-360M')).toBeVisible();
  await expect.element(card('Qwen3.5-2B')).not.toBeInTheDocument();
  await page.getByLabelText('Find a model').fill('');
  await button('Encoders').click();
  await expect.element(card('all-MiniLM-L6-v2')).toBeVisible();
  await expect.element(card('SmolLM2-360M')).not.toBeInTheDocument();
});

test('the browser’s own model is there to be loaded and given a role, and nothing of it to delete', async () => {
  const own = languageEntry('browser-model', {
    name: 'The browser’s own model',
    runtime: 'browser',
    source: null,
    dtype: { browser: 'compiled' },
    requires: [],
    files: [],
    approximateBytes: 0,
    memoryBytes: 0,
  });
  const { solve } = await open([absent(qwen)], { ...NO_GPU, promptApi: 'ready' }, { own });
  await expect.element(page.getByText('The browser’s own model for the organizer')).toBeVisible();
  await button('Use this set-up').click();
  expect(solve.config.organizer).toBe('local:browser-model');
  await button('Load The browser’s own model').click();
  await expect.element(roleRow('Organizer')).toHaveTextContent('ready');
  await expect
    .element(card('The browser’s own model'))
    .toHaveTextContent('the browser keeps its files');
  await expect.element(button('Delete The browser’s own model')).not.toBeInTheDocument();
});
