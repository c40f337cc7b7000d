import { integerRule, numberRule, type WholeRange } from './number-rules.ts';
import { choice, EMPTY, literal, optional, repeat, sequence, type Rule } from './rule.ts';
import { schemaShape, unsupported, type TypedShape } from './schema-shape.ts';

type Schema = Readonly<Record<string, unknown>>;
type Path = readonly string[];
type ShapeOf<Type extends TypedShape['type']> = Extract<TypedShape, { type: Type }>;

/** What a number may be without bounds of its own: twelve digits. */
const NUMBER_MOST = 999_999_999_999;

const SPACE = optional(literal(' '));
const COMMA = sequence(literal(','), SPACE);
const QUOTE = literal('"');

/**
 * The grammar of a JSON Schema's values: one space at most after a comma or colon and no other white
 * space, an object's properties in their order, no others. Every text of it is JSON that fits the schema.
 * Throws `EngineError` (`not-askable`) that names what is not supported and where.
 */
export function schemaGrammar(schema: Schema): Rule {
  return ruleOf(schema, []);
}

function ruleOf(schema: Schema, path: Path): Rule {
  const read = schemaShape(schema, path);
  switch (read.kind) {
    case 'values':
      return choice(...read.values.map((value) => literal(JSON.stringify(value))));
    case 'any-of':
      return choice(
        ...read.schemas.map((option, at) => ruleOf(option, [...path, 'anyOf', String(at)])),
      );
    case 'typed':
      return typedRule(read.shape, path);
  }
}

function typedRule(shape: TypedShape, path: Path): Rule {
  switch (shape.type) {
    case 'null':
      return literal('null');
    case 'boolean':
      return choice(literal('true'), literal('false'));
    case 'integer':
      return integerRule(integersOf(shape, path));
    case 'number': {
      const { minimum: min = -NUMBER_MOST, maximum: max = NUMBER_MOST } = shape;
      return numberRule(someOf({ min, max }, path));
    }
    case 'string': {
      const { minLength = 0, maxLength = Infinity } = shape;
      const { min, max } = someOf({ min: minLength, max: maxLength }, path);
      return sequence(QUOTE, { type: 'text', min, max });
    }
    case 'array':
      return arrayRule(shape, path);
    case 'object':
      return objectRule(shape, path);
  }
}

function integersOf(shape: ShapeOf<'integer'>, path: Path): WholeRange {
  const { minimum = -Infinity, maximum = Infinity } = shape;
  const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = shape;
  const most = Number.MAX_SAFE_INTEGER;
  const min = Math.max(-most, Math.ceil(minimum), Math.floor(exclusiveMinimum) + 1);
  const max = Math.min(most, Math.floor(maximum), Math.ceil(exclusiveMaximum) - 1);
  return someOf({ min, max }, path);
}

function someOf(range: WholeRange, path: Path): WholeRange {
  if (range.min <= range.max) return range;
  throw unsupported(path, `nothing lies between ${range.min} and ${range.max}`);
}

function arrayRule(shape: ShapeOf<'array'>, path: Path): Rule {
  const { minItems = 0, maxItems = Infinity } = shape;
  const { min, max } = someOf({ min: minItems, max: maxItems }, path);
  const item = max === 0 ? EMPTY : ruleOf(shape.items, [...path, 'items']);
  const more = repeat(sequence(COMMA, item), Math.max(0, min - 1), max - 1);
  const some = max === 0 ? EMPTY : sequence(item, ...(max > 1 ? [more] : []));
  return sequence(literal('['), min === 0 ? optional(some) : some, literal(']'));
}

/** Properties in order; one that is not required may be left out, with the comma before it. */
function objectRule({ properties, required = [] }: ShapeOf<'object'>, path: Path): Rule {
  const missing = required.find((name) => !Object.hasOwn(properties, name));
  if (missing !== undefined) {
    throw unsupported([...path, 'required'], `“${missing}” is none of the properties`);
  }
  let first: Rule = EMPTY;
  let later: Rule = EMPTY;
  for (const [name, schema] of Object.entries(properties).toReversed()) {
    const key = literal(`${JSON.stringify(name)}:`);
    const value = ruleOf(schema, [...path, 'properties', name]);
    const property = sequence(key, SPACE, value);
    const [asFirst, asLater] = [sequence(property, later), sequence(COMMA, property, later)];
    const isRequired = required.includes(name);
    first = isRequired ? asFirst : choice(asFirst, first);
    later = isRequired ? asLater : choice(asLater, later);
  }
  return sequence(literal('{'), first, literal('}'));
}
