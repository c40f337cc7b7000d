/**
 * What the test server streams, whole or broken off.
 *
 * @typedef {import('./openai-server.mjs').Behaviour} Behaviour
 * @typedef {import('./openai-server.mjs').ChatRequest} ChatRequest
 * @typedef {import('./openai-server.mjs').Exchange} Exchange
 */

/** Tokens a reply is counted as: four characters each. @param {string} text */
const tokens = (text) => Math.ceil(text.length / 4);

/** Milliseconds between the pieces of a `slow` reply. */
const SLOW_MS = 250;

/**
 * @typedef {object} Mode How a stream goes.
 * @property {number} [breakAfter] Pieces after which it ends early.
 * @property {'destroy' | 'end' | 'garbage' | 'error' | 'done'} [breakBy]
 * @property {boolean} [empty]
 * @property {boolean} [reasoning]
 * @property {number} [pieceDelayMs]
 * @property {boolean} [usage]
 */

/** @param {Behaviour} behaviour @returns {Mode} */
export function modesOf(behaviour) {
  switch (behaviour) {
    case 'truncated-socket':
      return { breakAfter: 2, breakBy: 'destroy' };
    case 'truncated-start':
      return { breakAfter: 0, breakBy: 'destroy' };
    case 'truncated-end':
      return { breakAfter: 2, breakBy: 'end' };
    case 'done-only':
      return { breakAfter: Infinity, breakBy: 'done' };
    case 'garbage':
      return { breakAfter: 1, breakBy: 'garbage' };
    case 'stream-error':
      return { breakAfter: 1, breakBy: 'error' };
    case 'empty':
      return { empty: true };
    case 'reasoning':
      return { reasoning: true };
    case 'slow':
      return { pieceDelayMs: SLOW_MS };
    case 'no-usage':
      return { usage: false };
    default:
      return {};
  }
}

/**
 * Streams the reply a few words at a time.
 *
 * @param {Exchange} exchange
 * @param {Mode} mode
 */
export async function stream({ response, body, reply, chunkDelayMs }, mode) {
  const text = mode.empty === true ? '' : reply(body);
  const pieces = text.match(/(?:\S+\s*){1,2}|\s+/gu) ?? [];
  const { breakAfter = Infinity, breakBy, pieceDelayMs = chunkDelayMs, usage = true } = mode;
  const chunk = (/** @type {object} */ fields) =>
    response.write(`data: ${JSON.stringify({ ...chunkHead(body), ...fields })}\n\n`);
  const delta = (/** @type {object} */ fields) =>
    chunk({ choices: [{ index: 0, delta: fields, finish_reason: null }] });
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
  delta({ role: 'assistant', content: '' });
  if (mode.reasoning === true) delta({ reasoning_content: 'Let me look. ' });
  for (const [index, piece] of pieces.entries()) {
    if (index >= breakAfter) break;
    if (pieceDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, pieceDelayMs));
    if (response.destroyed) return;
    delta({ content: piece });
  }
  if (breakBy === 'destroy') {
    // What was written has to arrive before the connection goes.
    return void setImmediate(() => response.destroy());
  }
  if (breakBy === 'end') return void response.end();
  if (breakBy === 'done') return void response.end('data: [DONE]\n\n');
  if (breakBy === 'garbage')
    return void response.end('data: {"choices": [{"del\n\ndata: [DONE]\n\n');
  if (breakBy === 'error') {
    const error = { message: 'The engine crashed.', code: 500 };
    return void response.end(`data: ${JSON.stringify({ error })}\n\n`);
  }
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  if (usage && body.stream_options !== undefined)
    chunk({ choices: [], usage: countUsage(body, text) });
  response.end('data: [DONE]\n\n');
}

/** @param {ChatRequest} body */
const chunkHead = ({ model }) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model,
});

/** @param {ChatRequest} body @param {string} text */
export const wholeReply = (body, text) => ({
  ...chunkHead(body),
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: countUsage(body, text),
});

/** @param {ChatRequest} body @param {string} text */
function countUsage(body, text) {
  const prompt = tokens(textOf(body)) + imagesOf(body).length * 100;
  return {
    prompt_tokens: prompt,
    completion_tokens: tokens(text),
    total_tokens: prompt + tokens(text),
  };
}

/** All text of a request, message by message. @param {ChatRequest} body @returns {string} */
export function textOf(body) {
  return body.messages
    .map(({ content }) =>
      typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n'),
    )
    .join('\n');
}

/** The data URLs of a request's images, in order. @param {ChatRequest} body @returns {string[]} */
export function imagesOf(body) {
  return body.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.flatMap((part) => part.image_url?.url ?? []),
  );
}
