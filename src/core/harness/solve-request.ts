import type { ModelRequest, Part } from '../call.ts';
import type { Prompt } from './prompt.ts';
import { promptRequest } from './prompt-request.ts';
import type { SolveInput } from './harness.ts';
import { memoryParts, section, taskImagePart, type SectionName } from './sections.ts';

/**
 * The request of a role that works on a task: the prompt's system text, then one user message. Its
 * order is fixed: the task's images, `question`, `public-information` where there is some, memory
 * (`memoryParts`), then what other roles made. All of it is well-formed text.
 */
export function solveRequest(
  prompt: Prompt,
  input: SolveInput,
  options: {
    readonly sections?: readonly (readonly [SectionName, string])[];
    readonly responseSchema?: Record<string, unknown>;
  } = {},
): ModelRequest {
  const { task, memory, config } = input;
  const information = task.publicInformation.trim();
  const parts: Part[] = [
    ...task.images.map(taskImagePart),
    section('question', task.question.toWellFormed()),
    ...(information === '' ? [] : [section('public-information', information.toWellFormed())]),
    ...memoryParts({ ...memory, text: memory.text.toWellFormed() }),
    ...(options.sections ?? []).map(([name, text]) => section(name, text.toWellFormed())),
  ];
  const { responseSchema } = options;
  return promptRequest(prompt, parts, { temperature: config.temperature, responseSchema });
}
