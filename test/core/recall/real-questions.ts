/** The questions of MATH-Vision, where this machine has the shared sample data. */
import { z } from 'zod';

const files = import.meta.glob<string>(
  '../../../../shared/data/benchmarks/mathvision/test-questions-2980.jsonl',
  { query: '?raw', import: 'default' },
);

const questionSchema = z.object({ question: z.string(), subject: z.string() });
export type RealQuestion = z.infer<typeof questionSchema>;

/** Questions without the marks that stand for their images; none where the data is not here. */
export async function realQuestions(): Promise<readonly RealQuestion[]> {
  const [load] = Object.values(files);
  if (load === undefined) return [];
  return (await load())
    .trim()
    .split('\n')
    .map((line) => questionSchema.parse(JSON.parse(line)))
    .map(({ question, subject }) => ({
      question: question.replaceAll(/<image\d+>/gu, ' '),
      subject,
    }));
}
