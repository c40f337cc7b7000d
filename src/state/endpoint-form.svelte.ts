import { ModelCallError } from '../core/errors.ts';
import type { Endpoint, KeyPlace, SettingsPorts, TrialLine } from './settings-ports.ts';

const MAX_IMAGE_SIDE_PX = 1536;

/** An endpoint as it is being written: its fields, the models its server has, and a connection test. */
export class EndpointForm {
  name = $state('');
  typedUrl = $state('');
  model = $state('');
  imageSupport: Endpoint['imageSupport'] = $state('unknown');
  /** What was typed; empty leaves the key there is. */
  key = $state('');
  remember = $state(false);
  models: readonly string[] = $state.raw([]);
  listing = $state(false);
  testing = $state(false);
  trial: readonly TrialLine[] = $state.raw([]);
  problem: { readonly message: string; readonly hint?: string | undefined } | null =
    $state.raw(null);
  /** Another address that is likelier, where the typed one looks incomplete. */
  suggestion: string | null = $state(null);

  readonly editing: Endpoint | null;
  readonly keyPlace: KeyPlace;
  readonly #ports: SettingsPorts;
  readonly #id: string;
  #abort = new AbortController();

  constructor(
    ports: SettingsPorts,
    { endpoint, keyPlace }: { endpoint: Endpoint | null; keyPlace: KeyPlace },
  ) {
    this.#ports = ports;
    this.editing = endpoint;
    this.keyPlace = keyPlace;
    this.#id = endpoint?.id ?? ports.ids.next();
    this.remember = keyPlace === 'device';
    if (endpoint === null) return;
    this.name = endpoint.name;
    this.typedUrl = endpoint.baseUrl;
    this.model = endpoint.model;
    this.imageSupport = endpoint.imageSupport;
  }

  /** The host that this endpoint would reach, or null while the address is none. */
  get host(): string | null {
    const origin = this.#ports.gate.originOf(this.typedUrl);
    return this.typedUrl.trim() === '' || !origin.ok ? null : new URL(origin.value).host;
  }

  /** Offers a likelier address once the field is left. */
  checkUrl(): void {
    const url = this.#ports.endpoints.normalize(this.typedUrl);
    this.suggestion = url.ok ? (url.value.suggestion ?? null) : null;
  }

  takeSuggestion(): void {
    if (this.suggestion !== null) this.typedUrl = this.suggestion;
    this.suggestion = null;
  }

  /** Asks the server for its models. Its host is allowed first: a person asked for this request. */
  async listModels(): Promise<void> {
    const endpoint = this.#endpoint(false);
    if (endpoint === null) return;
    this.listing = true;
    try {
      await this.#ports.gate.allow(new URL(endpoint.baseUrl).origin);
      const signal = this.#restart();
      this.models = await this.#ports.endpoints.listModels(endpoint, this.#typedKey, signal);
      if (this.models.length === 0) {
        this.problem = { message: 'The server lists no models. Type the name of one.' };
      } else if (this.model === '') this.model = this.models[0] ?? '';
    } catch (error) {
      if (!(error instanceof ModelCallError)) throw error;
      if (error.code !== 'aborted') this.problem = { message: error.message, hint: error.hint };
    } finally {
      this.listing = false;
    }
  }

  /** Tries the endpoint, a line for each thing tried. */
  async test(): Promise<void> {
    const endpoint = this.#endpoint(true);
    if (endpoint === null) return;
    this.testing = true;
    this.trial = [];
    try {
      await this.#ports.gate.allow(new URL(endpoint.baseUrl).origin);
      const signal = this.#restart();
      for await (const line of this.#ports.endpoints.test(endpoint, this.#typedKey, signal)) {
        this.trial = [...this.trial.filter(({ tried }) => tried !== line.tried), line];
      }
    } catch (error) {
      if (!(error instanceof ModelCallError)) throw error;
      if (error.code !== 'aborted') this.problem = { message: error.message, hint: error.hint };
    } finally {
      this.testing = false;
    }
  }

  /** Keeps the endpoint and allows its host; false, with a `problem`, where a field is missing. */
  async save(): Promise<boolean> {
    const endpoint = this.#endpoint(true);
    if (endpoint === null) return false;
    await this.#ports.endpoints.save(endpoint, this.#typedKey, this.remember);
    await this.#ports.gate.allow(new URL(endpoint.baseUrl).origin);
    const before = this.editing === null ? null : new URL(this.editing.baseUrl).origin;
    if (before !== null && before !== new URL(endpoint.baseUrl).origin) {
      const others = await this.#ports.endpoints.list();
      if (!others.some(({ baseUrl }) => new URL(baseUrl).origin === before)) {
        await this.#ports.gate.disallow(before);
      }
    }
    return true;
  }

  stop(): void {
    this.#abort.abort();
  }

  close(): void {
    this.#abort.abort();
  }

  get #typedKey(): string | null {
    return this.key.trim() === '' ? null : this.key.trim();
  }

  #restart(): AbortSignal {
    this.#abort.abort();
    this.#abort = new AbortController();
    return this.#abort.signal;
  }

  #endpoint(needsModel: boolean): Endpoint | null {
    this.problem = null;
    const url = this.#ports.endpoints.normalize(this.typedUrl);
    if (!url.ok) {
      this.problem = { message: url.refusal.message };
      return null;
    }
    const model = this.model.trim();
    if (needsModel && model === '') {
      this.problem = { message: 'Name a model, or list the models the server has.' };
      return null;
    }
    const host = new URL(url.value.url).host;
    return {
      id: this.#id,
      name: this.name.trim() === '' ? host : this.name.trim(),
      baseUrl: url.value.url,
      model,
      imageSupport: this.imageSupport,
      maxImageSidePx: this.editing?.maxImageSidePx ?? MAX_IMAGE_SIDE_PX,
    };
  }
}
