import type { ChatCompletionMessageParam } from '@mlc-ai/web-llm';
import { EngineError, type EngineMessage } from '../../core/models/engine.ts';
import type { WebLlmConversation } from './web-llm-files.ts';

/** What WebLLM puts before a reply where a model is told not to think; it comes back with the reply. */
export const EMPTY_THOUGHT = '<think>\n\n</think>\n\n';

/** How a loaded model is talked to. */
export interface WebLlmChat {
  /** As messages name the model. */
  readonly name: string;
  readonly conversation: WebLlmConversation;
  readonly specials: readonly string[];
  readonly thinks: boolean;
  /** Whether WebLLM reads the model's manifest: then it fills its templates in another way. */
  readonly hasManifest: boolean;
  /** How many tokens a text is. */
  count(text: string): number;
}

type Text = { readonly role: EngineMessage['role']; readonly text: string };

/**
 * Messages as WebLLM takes them, and how many tokens they are once they are written down. Throws
 * `EngineError` `not-askable`.
 */
export function webLlmPrompt(
  messages: readonly EngineMessage[],
  chat: WebLlmChat,
): { readonly messages: ChatCompletionMessageParam[]; readonly tokens: number } {
  const texts = messages.map(({ role, parts }) => ({
    role,
    text: parts.map((part) => textOf(part, chat)).join('\n\n'),
  }));
  const systems = texts.filter(({ role }) => role === 'system').length;
  if (
    texts.at(-1)?.role !== 'user' ||
    systems > 1 ||
    (systems === 1 && texts[0]?.role !== 'system')
  ) {
    throw new EngineError(
      'not-askable',
      `${chat.name} takes at most one system message, first, and a user’s message last.`,
    );
  }
  return {
    messages: texts.map(({ role, text }) => ({ role, content: escaped({ role, text }, chat) })),
    tokens: written(texts, chat).reduce(
      (sum, text) => sum + chat.count(text),
      chat.conversation.system_prefix_token_ids?.length ?? 0,
    ),
  };
}

function textOf(part: EngineMessage['parts'][number], { name, specials }: WebLlmChat): string {
  if (part.type === 'image') throw new EngineError('not-askable', `${name} sees no images.`);
  return specials.reduce(
    (kept, token) => kept.replaceAll(token, `${token.slice(0, 1)} ${token.slice(1)}`),
    part.text,
  );
}

/**
 * WebLLM fills its templates with `String.replace`, for which `$$`, `$&` and the like in a text are no
 * text: a formula would reach the model as another.
 */
function escaped({ role, text }: Text, { conversation, hasManifest }: WebLlmChat): string {
  const isFilled =
    role === 'system' || (!hasManifest && conversation.role_templates?.[role] !== undefined);
  return isFilled ? text.replaceAll('$', '$$$$') : text;
}

/** The pieces that WebLLM reads as tokens, one after the other. */
function written(texts: readonly Text[], { conversation, thinks }: WebLlmChat): readonly string[] {
  const { system_template, system_message, roles, seps, role_templates = {} } = conversation;
  const { role_content_sep, role_empty_sep } = conversation;
  const before = role_content_sep ?? ': ';
  const system = texts.find(({ role }) => role === 'system')?.text ?? system_message;
  const turns = texts.flatMap(({ role, text }) =>
    role === 'system'
      ? []
      : [{ role, text, template: role_templates[role] ?? `{${role}_message}` }],
  );
  return [
    system_template.replace('{system_message}', () => system),
    ...turns.map(
      ({ role, text, template }, at) =>
        roles[role] +
        before +
        template.replace(`{${role}_message}`, () => text).replace('{function_string}', '') +
        (seps[at % seps.length] ?? ''),
    ),
    thinks ? roles.assistant + before + EMPTY_THOUGHT : roles.assistant + (role_empty_sep ?? ': '),
  ];
}
