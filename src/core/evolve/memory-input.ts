import type { Crop, MemoryInput, QuestionMemory } from '../memory.ts';
import type { RetrievalRecord, RunConfig } from '../run.ts';

/**
 * What memory adds to an attempt's input, c of EpiCon eq. 3. Text is R then W; the visual is W's where
 * the update said so, else R's by its own gate. R's text is held to `textBudgetChars` and its crops to
 * `imageBudget` by leaving out whole items, in the order they were chosen; W's text was held to its
 * budget when it was accepted. The paper never has R and W at once: together they are Grove's own.
 */
export function buildMemoryInput(options: {
  readonly retrieval: RetrievalRecord | null;
  readonly memory: QuestionMemory;
  /** W's crop, cut, where W has a visual and injects it; else null. */
  readonly questionCrop: Crop | null;
  readonly config: Pick<RunConfig, 'textBudgetChars' | 'imageBudget'>;
}): MemoryInput {
  const { retrieval, memory, questionCrop, config } = options;
  const chosen = retrieval === null ? [] : withinBudget(retrieval.chosen, config.textBudgetChars);
  const text = [retrievedText(chosen), questionMemoryText(memory)].filter((part) => part !== '');
  const own = questionCrop === null ? [] : [{ crop: questionCrop, from: 'question' as const }];
  const retrieved =
    retrieval?.inject === true
      ? chosen.flatMap(({ crop }) => (crop === null ? [] : [{ crop, from: 'retrieved' as const }]))
      : [];
  return {
    text: text.join('\n\n'),
    crops: (own.length > 0 ? own : retrieved).slice(0, config.imageBudget),
  };
}

/** W's text as a solver reads it: guidance, then when it applies, then cautions. */
export function questionMemoryText(memory: QuestionMemory): string {
  if (memory.guidance === '') return '';
  return [
    'From earlier attempts at this question:',
    memory.guidance,
    ...(memory.appliesWhen === '' ? [] : [`Applies when: ${memory.appliesWhen}`]),
    ...memory.cautions.map((caution) => `Caution: ${caution}`),
  ].join('\n');
}

function retrievedText(chosen: RetrievalRecord['chosen']): string {
  if (chosen.length === 0) return '';
  return ['From earlier tasks:', ...chosen.map(({ title, text }) => `${title}\n${text}`)].join(
    '\n\n',
  );
}

function withinBudget(
  chosen: RetrievalRecord['chosen'],
  budgetChars: number,
): RetrievalRecord['chosen'] {
  let left = budgetChars;
  return chosen.filter(({ title, text }) => {
    const length = [...title].length + [...text].length;
    if (length > left) return false;
    left -= length;
    return true;
  });
}
