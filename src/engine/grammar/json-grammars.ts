import type { CompiledGrammar, GrammarCompiler, TokenizerInfo } from '@mlc-ai/web-xgrammar';
import { EngineError } from '../../core/models/engine.ts';
import { ebnfOf } from './ebnf.ts';
import { JsonMatcher, type MatcherParts } from './json-matcher.ts';
import { RuleState } from './rule-state.ts';
import { schemaGrammar } from './schema-grammar.ts';
import { TokenSpeller } from './token-speller.ts';
import type { Vocabulary } from './tokenizer-vocabulary.ts';

/** XGrammar, 388 kB gzip; loaded with the first vocabulary. */
type XGrammar = typeof import('@mlc-ai/web-xgrammar');

/** JSON Schemas as grammars over one vocabulary. */
export class JsonGrammars {
  readonly #xgrammar: XGrammar;
  readonly #vocabulary: Vocabulary;
  readonly #speller: TokenSpeller;
  readonly #info: TokenizerInfo;
  readonly #compiler: GrammarCompiler;
  readonly #compiled = new Map<string, Promise<CompiledJsonGrammar>>();

  private constructor(
    xgrammar: XGrammar,
    vocabulary: Vocabulary,
    { info, compiler }: { readonly info: TokenizerInfo; readonly compiler: GrammarCompiler },
  ) {
    this.#xgrammar = xgrammar;
    this.#vocabulary = vocabulary;
    this.#speller = new TokenSpeller(vocabulary);
    this.#info = info;
    this.#compiler = compiler;
  }

  /** Loads XGrammar, which a page's CSP must let compile WebAssembly, and tells it of a vocabulary. */
  static async open(vocabulary: Vocabulary): Promise<JsonGrammars> {
    const xgrammar = await import('@mlc-ai/web-xgrammar');
    const info = await xgrammar.TokenizerInfo.createTokenizerInfo(
      [...vocabulary.tokens],
      vocabulary.spelling,
      false,
      vocabulary.tokens.length,
      [...vocabulary.endTokens],
    );
    const compiler = await xgrammar.GrammarCompiler.createGrammarCompiler(info, false);
    return new JsonGrammars(xgrammar, vocabulary, { info, compiler });
  }

  /** A schema's grammar, compiled once. Throws `EngineError` (`not-askable`) that names what is not supported. */
  compile(schema: Readonly<Record<string, unknown>>): Promise<CompiledJsonGrammar> {
    const key = JSON.stringify(schema);
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const made = this.#compile(schema);
    this.#compiled.set(key, made);
    return made;
  }

  /** Frees all that was compiled. No matcher of it may be in use. */
  async dispose(): Promise<void> {
    const compiled = await Promise.allSettled(this.#compiled.values());
    this.#compiled.clear();
    for (const one of compiled) if (one.status === 'fulfilled') one.value.dispose();
    this.#compiler.dispose();
    this.#info.dispose();
  }

  async #compile(schema: Readonly<Record<string, unknown>>): Promise<CompiledJsonGrammar> {
    const rule = schemaGrammar(schema);
    const start = RuleState.start(rule);
    if (this.#speller.spell(start.closing) === null) {
      throw new EngineError('not-askable', 'The model’s tokenizer has no tokens for this JSON.');
    }
    const grammar = await this.#xgrammar.Grammar.fromEBNF(ebnfOf(rule));
    const compiled = await this.#compiler.compileGrammar(grammar);
    grammar.dispose();
    return new CompiledJsonGrammar(this.#xgrammar, compiled, {
      start,
      vocabulary: this.#vocabulary,
      speller: this.#speller,
    });
  }
}

/** A JSON Schema's grammar over a vocabulary; made by `JsonGrammars`. */
export class CompiledJsonGrammar {
  readonly #xgrammar: XGrammar;
  readonly #compiled: CompiledGrammar;
  readonly #parts: Omit<MatcherParts, 'xgrammar'>;

  constructor(
    xgrammar: XGrammar,
    compiled: CompiledGrammar,
    parts: Omit<MatcherParts, 'xgrammar'>,
  ) {
    this.#xgrammar = xgrammar;
    this.#compiled = compiled;
    this.#parts = parts;
  }

  /** A matcher for one reply; whoever asks for it disposes of it. */
  async matcher(): Promise<JsonMatcher> {
    const xgrammar = await this.#xgrammar.GrammarMatcher.createGrammarMatcher(this.#compiled);
    return new JsonMatcher({ ...this.#parts, xgrammar });
  }

  dispose(): void {
    this.#compiled.dispose();
  }
}
