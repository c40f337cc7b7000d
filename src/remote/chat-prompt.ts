import type { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ImagePart, Message, ModelRequest, Usage } from '../core/call.ts';
import { MediaError, ModelCallError } from '../core/errors.ts';

/** The SDK's chat model and what one call of it takes. Types only: the code loads on first use. */
export type ChatModel = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>;
type ChatOptions = Parameters<ChatModel['doStream']>[0];
/** The messages of a call as the SDK takes them. */
export type ChatPrompt = ChatOptions['prompt'];
type UserContent = Extract<ChatPrompt[number], { role: 'user' }>['content'];

/** The bytes to send for an image part, already scaled. Throws `MediaError`, or the abort reason. */
export type RenderImage = (
  part: ImagePart,
  signal: AbortSignal,
) => Promise<{ readonly mediaType: string; readonly bytes: Uint8Array }>;

/** Messages with their images read; each image is rendered once. Throws `ModelCallError`. */
export async function toChatPrompt(
  messages: readonly Message[],
  render: RenderImage,
  signal: AbortSignal,
): Promise<ChatPrompt> {
  const prompt: ChatPrompt = [];
  for (const { role, parts } of messages) {
    if (role === 'user') prompt.push({ role, content: await userContent(parts, render, signal) });
    else if (role === 'system') prompt.push({ role, content: textOf(parts) });
    else prompt.push({ role, content: [{ type: 'text', text: textOf(parts) }] });
  }
  return prompt;
}

/** The images of a request, in order. */
export function imagesOf({ messages }: ModelRequest): readonly ImagePart[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'image' ? part : [])),
  );
}

/** Four characters of text, or 750 pixels of an image as sent, count as a token. */
const CHARS_PER_TOKEN = 4;
const PIXELS_PER_TOKEN = 750;

/** What a call cost, counted by rule, for servers that do not say. */
export function estimateUsage(request: ModelRequest, reply: string, maxImageSidePx: number): Usage {
  const images = imagesOf(request);
  const characters = request.messages.reduce((sum, { parts }) => sum + textOf(parts).length, 0);
  const imageTokens = images.reduce((sum, { width, height }) => {
    const scale = Math.min(1, maxImageSidePx / Math.max(width, height));
    return sum + Math.ceil((width * height * scale * scale) / PIXELS_PER_TOKEN);
  }, 0);
  return {
    promptTokens: Math.ceil(characters / CHARS_PER_TOKEN) + imageTokens,
    completionTokens: Math.ceil(reply.length / CHARS_PER_TOKEN),
    images: images.length,
    estimated: true,
  };
}

async function userContent(
  parts: Message['parts'],
  render: RenderImage,
  signal: AbortSignal,
): Promise<UserContent> {
  const content: UserContent = [];
  for (const part of parts) {
    if (part.type === 'text') {
      content.push({ type: 'text', text: part.text });
      continue;
    }
    try {
      const { mediaType, bytes } = await render(part, signal);
      content.push({ type: 'file', mediaType, data: bytes });
    } catch (cause) {
      if (signal.aborted || !(cause instanceof MediaError)) throw cause;
      throw new ModelCallError('model-failed', `An image could not be sent. ${cause.message}`, {
        cause,
      });
    }
  }
  return content;
}

function textOf(parts: Message['parts']): string {
  return parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}
