import { createServer } from 'node:http';
import { imagesOf, modesOf, stream, textOf, wholeReply } from './openai-stream.mjs';

export { imagesOf, textOf };

/**
 * A local OpenAI-compatible server for tests: it streams what `reply` computes from the request, or
 * misbehaves as scripted. Loopback only.
 *
 * @typedef {'ok' | 'wrong-key' | 'unknown-model' | 'rate-limited' | 'quota' | 'error-500'
 *   | 'error-503' | 'timeout-408' | 'conflict-409' | 'no-cors' | 'no-image-support'
 *   | 'no-image-support-500' | 'context-overflow' | 'truncated-socket' | 'truncated-start'
 *   | 'truncated-end' | 'html' | 'garbage' | 'stream-error' | 'empty' | 'reasoning' | 'slow' | 'hang'
 *   | 'no-usage' | 'not-streamed' | 'refuse-schema' | 'refuse-max-tokens' | 'echo-key' | 'done-only'
 *   | 'reset'} Behaviour
 *   What a chat request meets:
 *   - `truncated-socket` breaks the connection after half of the reply, `truncated-start` before any
 *     of it, `truncated-end` ends cleanly without a finish; `reset` drops the request unanswered;
 *   - `no-cors` answers nothing, preflights included, with CORS headers until it is over;
 *   - `refuse-…` refuses requests that carry the field, and answers others.
 *
 * @typedef {object} ChatPart
 * @property {string} type
 * @property {string} [text]
 * @property {{ url: string }} [image_url]
 *
 * @typedef {object} ChatRequest What a client asked for.
 * @property {string} model
 * @property {{ role: string, content: string | ChatPart[] }[]} messages
 * @property {boolean} [stream]
 * @property {number} [max_tokens]
 * @property {number} [max_completion_tokens]
 * @property {number} [temperature]
 * @property {unknown} [response_format]
 * @property {unknown} [stream_options]
 *
 * @typedef {object} SeenRequest
 * @property {string} method
 * @property {string} path
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {ChatRequest | undefined} body Set on a chat request.
 *
 * @typedef {object} Options
 * @property {Behaviour} [behaviour] Of every chat request that the script does not cover.
 * @property {readonly Behaviour[]} [script] One for each chat request to come.
 * @property {(request: ChatRequest) => string} [reply]
 * @property {readonly string[]} [models]
 * @property {string} [key] Required as bearer token where set.
 * @property {string} [retryAfter] Sent with `rate-limited` and `error-503`.
 * @property {number} [chunkDelayMs] Between streamed pieces.
 * @property {number} [port] 0 for any free one.
 *
 * @typedef {object} OpenAiServer
 * @property {string} origin `http://127.0.0.1:PORT`
 * @property {string} baseUrl The origin with `/v1`.
 * @property {SeenRequest[]} requests All that arrived, oldest first, preflights included.
 * @property {() => ChatRequest[]} chats The bodies of the chat requests.
 * @property {(behaviour: Behaviour, script?: readonly Behaviour[]) => void} behave From now on.
 * @property {() => Promise<ChatRequest>} nextChat Resolves when the next chat request has arrived.
 * @property {() => Promise<void>} nextHangUp Resolves when a client next hangs up before its end.
 * @property {() => Promise<void>} close
 */

/**
 * @param {Options} [options]
 * @returns {Promise<OpenAiServer>}
 */
export async function startOpenAiServer(options = {}) {
  const {
    reply = defaultReply,
    models = ['test-model'],
    key,
    retryAfter = '2',
    chunkDelayMs = 0,
    port = 0,
  } = options;
  let behaviour = options.behaviour ?? 'ok';
  let script = [...(options.script ?? [])];
  /** @type {SeenRequest[]} */
  const requests = [];
  /** @type {((request: ChatRequest) => void)[]} */
  const chatWaiters = [];
  /** @type {(() => void)[]} */
  const hangUpWaiters = [];

  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://server').pathname;
    const text = await readBody(request);
    /** @type {ChatRequest | undefined} */
    const body = path.endsWith('/chat/completions') && text !== '' ? JSON.parse(text) : undefined;
    requests.push({ method: request.method ?? 'GET', path, headers: request.headers, body });
    response.on('close', () => {
      if (!response.writableFinished) for (const done of hangUpWaiters.splice(0)) done();
    });
    if ((script[0] ?? behaviour) !== 'no-cors') allowOrigin(response);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) {
      return refuse(response, 401, {
        message: 'Incorrect API key provided.',
        code: 'invalid_api_key',
      });
    }
    if (path === '/v1/models') return sendJson(response, 200, modelList(models));
    if (path !== '/v1/chat/completions' || body === undefined) {
      return sendJson(response, 404, { detail: 'Not Found' });
    }
    for (const seen of chatWaiters.splice(0)) seen(body);
    const now = script.shift() ?? behaviour;
    const context = { response, body, models, retryAfter, chunkDelayMs, reply };
    await respond(now, { ...context, authorization: request.headers.authorization ?? '' });
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const origin = `http://127.0.0.1:${address.port}`;
  return {
    origin,
    baseUrl: `${origin}/v1`,
    requests,
    chats: () => requests.flatMap(({ body }) => body ?? []),
    behave(next, nextScript = []) {
      behaviour = next;
      script = [...nextScript];
    },
    nextChat: () => new Promise((resolve) => chatWaiters.push(resolve)),
    nextHangUp: () => new Promise((resolve) => hangUpWaiters.push(() => resolve(undefined))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * @typedef {object} Exchange
 * @property {import('node:http').ServerResponse} response
 * @property {ChatRequest} body
 * @property {readonly string[]} models
 * @property {string} retryAfter
 * @property {number} chunkDelayMs
 * @property {(request: ChatRequest) => string} reply
 * @property {string} authorization
 */

/**
 * @param {Behaviour} behaviour
 * @param {Exchange} exchange
 * @returns {Promise<void> | void}
 */
function respond(behaviour, exchange) {
  const { response, body, retryAfter, authorization } = exchange;
  const unknown = !exchange.models.includes(body.model);
  switch (behaviour) {
    case 'wrong-key':
      return refuse(response, 401, { message: 'Invalid key.', code: 'invalid_api_key' });
    case 'echo-key':
      return refuse(response, 401, { message: `Incorrect API key provided: ${authorization}.` });
    case 'unknown-model':
      return refuseModel(response, body.model);
    case 'rate-limited':
      response.setHeader('Retry-After', retryAfter);
      return refuse(response, 429, { message: 'Too many requests.', type: 'rate_limit' });
    case 'quota':
      return refuse(response, 429, { message: 'No quota left.', code: 'insufficient_quota' });
    case 'error-500':
      return refuse(response, 500, { message: 'The engine crashed.' });
    case 'error-503':
      response.setHeader('Retry-After', retryAfter);
      return refuse(response, 503, { message: 'Loading model.', type: 'unavailable_error' });
    case 'timeout-408':
      return refuse(response, 408, { message: 'Request timed out.' });
    case 'conflict-409':
      return refuse(response, 409, { message: 'Busy.' });
    case 'no-image-support':
    case 'no-image-support-500':
      if (!hasImage(body)) return stream(exchange, {});
      return refuse(response, behaviour === 'no-image-support' ? 400 : 500, {
        message: 'image input is not supported - hint: you may need to provide the mmproj',
      });
    case 'context-overflow':
      return refuse(response, 400, {
        message:
          "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.",
        type: 'BadRequestError',
      });
    case 'html':
      response.writeHead(200, { 'Content-Type': 'text/html' });
      return void response.end('<!doctype html><title>Server UI</title><p>Welcome</p>');
    case 'refuse-schema':
      if (body.response_format === undefined) return stream(exchange, {});
      return refuse(response, 400, { message: 'response_format is not supported.' });
    case 'refuse-max-tokens':
      if (body.max_tokens === undefined) return stream(exchange, {});
      return refuse(response, 400, {
        message: 'Use max_completion_tokens instead.',
        code: 'unsupported_parameter',
        param: 'max_tokens',
      });
    case 'not-streamed':
      return sendJson(response, 200, wholeReply(body, exchange.reply(body)));
    case 'reset':
      return void response.destroy();
    case 'hang':
      return;
    default:
      return unknown ? refuseModel(response, body.model) : stream(exchange, modesOf(behaviour));
  }
}

/** @param {ChatRequest} body */
const hasImage = (body) => imagesOf(body).length > 0;

/** Says how much it was shown, so that a test can tell one reply from another. @param {ChatRequest} body */
const defaultReply = (body) =>
  `I read ${textOf(body).length} characters and saw ${imagesOf(body).length} images.\nAnswer: 42`;

/** @param {readonly string[]} models */
const modelList = (models) => ({
  object: 'list',
  data: models.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'test' })),
});

/** @param {import('node:http').ServerResponse} response */
function allowOrigin(response) {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Allow-Headers', 'authorization, content-type');
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, OPTIONS');
  response.setHeader('Access-Control-Expose-Headers', 'Retry-After');
}

/** @param {import('node:http').ServerResponse} response @param {number} status @param {object} error */
function refuse(response, status, error) {
  sendJson(response, status, { error });
}

/** @param {import('node:http').ServerResponse} response @param {string} model */
function refuseModel(response, model) {
  refuse(response, 404, {
    message: `The model \`${model}\` does not exist.`,
    code: 'model_not_found',
  });
}

/** @param {import('node:http').ServerResponse} response @param {number} status @param {object} value */
function sendJson(response, status, value) {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

/** @param {import('node:http').IncomingMessage} request @returns {Promise<string>} */
async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
