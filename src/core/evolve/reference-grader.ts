import type { Grader, ReferenceStore } from '../ports.ts';

/**
 * Grades against known answers: right where the answer says the same as one of them, unknown where
 * there is none for the task. Only the verdict leaves it; the reference does not.
 */
export function referenceGrader(references: ReferenceStore): Grader {
  return {
    type: 'reference',
    async grade(task, answer) {
      const reference = await references.getReference(task.id);
      if (reference === undefined) return 'unknown';
      return reference.answers.some((known) => sameAnswer(answer, known)) ? 'right' : 'wrong';
    },
  };
}

/**
 * Whether two short answers say the same: as numbers where the known one is a number and the given one
 * holds exactly one ("5", "5 stops"), else letter by letter without case, punctuation and articles.
 */
export function sameAnswer(given: string, known: string): boolean {
  if (/^[-+]?\d+(?:\.\d+)?$/u.test(known.trim())) {
    const numbers = given.replaceAll(/(?<=\d),(?=\d{3})/gu, '').match(/[-+]?\d+(?:\.\d+)?/gu) ?? [];
    return numbers.length === 1 && Number(numbers[0]) === Number(known);
  }
  return plain(given) === plain(known);
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/\b(?:the|a|an)\b/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
}
