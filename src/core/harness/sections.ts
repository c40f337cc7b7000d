import type { ImagePart, ModelRequest, Part } from '../call.ts';
import type { Crop, MemoryInput } from '../memory.ts';
import type { TaskImage } from '../task.ts';

/**
 * The named parts of a prompt. Whatever comes from outside the prompt file (the question, a memory,
 * another role's answer) stands between tags, so that it reads as data. Every harness and every
 * policy builds its user message from these, and the simulated solver reads them back.
 */
export type SectionName =
  | 'question'
  | 'public-information'
  | 'memory'
  | 'work'
  | 'answer'
  | 'trajectory'
  | 'feedback'
  | 'candidates'
  | 'groups'
  | 'lessons'
  | 'images';

/** A section as a text part. A closing tag inside the text is defused, so that it cannot end early. */
export function section(name: SectionName, text: string): Part {
  return { type: 'text', text: `<${name}>\n${text.replaceAll('</', '<\u200b/')}\n</${name}>` };
}

/** The text of a section of a request, or undefined where it has none. */
export function readSection(request: ModelRequest, name: SectionName): string | undefined {
  const open = `<${name}>\n`;
  const close = `\n</${name}>`;
  for (const message of request.messages) {
    for (const part of message.parts) {
      if (part.type === 'text' && part.text.startsWith(open) && part.text.endsWith(close)) {
        return part.text.slice(open.length, -close.length).replaceAll('<\u200b/', '</');
      }
    }
  }
  return undefined;
}

/** A task's own image as a part. */
export function taskImagePart(image: TaskImage): ImagePart {
  const { hash, mediaType, width, height } = image;
  return { type: 'image', hash, mediaType, width, height };
}

/** A memory's crop as a part; `source` tells it from the task's own images. */
export function cropPart(crop: Crop): ImagePart {
  const { hash, mediaType, width, height, sourceHash, box } = crop;
  return { type: 'image', hash, mediaType, width, height, source: { hash: sourceHash, box } };
}

/**
 * The one documented place of memory in a prompt: after the question and public information, one
 * `memory` section, then its crops. Nothing at all where there is no memory.
 */
export function memoryParts(memory: MemoryInput): readonly Part[] {
  if (memory.text === '' && memory.crops.length === 0) return [];
  return [section('memory', memory.text), ...memory.crops.map(({ crop }) => cropPart(crop))];
}
