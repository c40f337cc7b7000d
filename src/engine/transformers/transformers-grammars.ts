import type { LogitsProcessor, PreTrainedTokenizer } from '@huggingface/transformers';
import type { JsonGrammars } from '../grammar/json-grammars.ts';

/** One reply's constraint: what may come next, and what came. */
export interface Constraint {
  readonly processor: LogitsProcessor;
  /** Takes the token that came last, which the processor does not see. */
  accept(token: number): void;
  readonly text: string;
  readonly isComplete: boolean;
  dispose(): void;
}

/** Constraints by JSON Schema; the grammar engine is loaded with the first. */
export interface TransformersGrammars {
  constrain(schema: Readonly<Record<string, unknown>>, maxNewTokens: number): Promise<Constraint>;
}

export function transformersGrammars(
  tokenizer: PreTrainedTokenizer,
  endTokens: readonly number[],
): TransformersGrammars {
  let opened: Promise<JsonGrammars> | undefined;
  return {
    async constrain(schema, maxNewTokens) {
      const [{ JsonGrammars: Grammars }, { GrammarLogitsProcessor }, { tokenizerVocabulary }] =
        await Promise.all([
          import('../grammar/json-grammars.ts'),
          import('../grammar/grammar-logits-processor.ts'),
          import('../grammar/tokenizer-vocabulary.ts'),
        ]);
      opened ??= Grammars.open(tokenizerVocabulary(tokenizer, endTokens));
      const compiled = await (await opened).compile(schema);
      const matcher = await compiled.matcher();
      const processor = new GrammarLogitsProcessor(matcher, maxNewTokens);
      return {
        processor,
        accept: (token) => processor.accept(token),
        get text() {
          return matcher.text;
        },
        get isComplete() {
          return matcher.isComplete;
        },
        dispose: () => matcher.dispose(),
      };
    },
  };
}
