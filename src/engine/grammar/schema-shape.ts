import { z } from 'zod';
import { EngineError } from '../../core/models/engine.ts';

/** What says nothing about which values fit. */
const anything = z.unknown().optional();
const ANNOTATIONS = {
  $schema: anything,
  $comment: anything,
  title: anything,
  description: anything,
  default: anything,
  examples: anything,
  deprecated: anything,
  readOnly: anything,
  writeOnly: anything,
};

const count = z.int().min(0).optional();
const bound = z.number().optional();
const wholeBound = z.int('a number’s bound must be whole').optional();

/** The schemas of one type that are known, with no other keyword; parts are read in their turn. */
const typedSchema = z.discriminatedUnion('type', [
  z.strictObject({ ...ANNOTATIONS, type: z.literal('null') }),
  z.strictObject({ ...ANNOTATIONS, type: z.literal('boolean') }),
  z.strictObject({
    ...ANNOTATIONS,
    type: z.literal('integer'),
    minimum: bound,
    maximum: bound,
    exclusiveMinimum: bound,
    exclusiveMaximum: bound,
  }),
  z.strictObject({
    ...ANNOTATIONS,
    type: z.literal('number'),
    minimum: wholeBound,
    maximum: wholeBound,
  }),
  z.strictObject({
    ...ANNOTATIONS,
    type: z.literal('string'),
    minLength: count,
    maxLength: count,
  }),
  z.strictObject({
    ...ANNOTATIONS,
    type: z.literal('array'),
    items: z.record(z.string(), z.unknown()),
    minItems: count,
    maxItems: count,
  }),
  z.strictObject({
    ...ANNOTATIONS,
    type: z.literal('object'),
    properties: z.record(z.string(), z.record(z.string(), z.unknown())),
    required: z.array(z.string()).optional(),
    // Nothing but the properties is ever written, whatever more would fit.
    additionalProperties: z.boolean().optional(),
  }),
]);

const constSchema = z.strictObject({ ...ANNOTATIONS, type: anything, const: z.json() });
const enumSchema = z.strictObject({
  ...ANNOTATIONS,
  type: anything,
  enum: z.array(z.json()).min(1),
});
const anyOfSchema = z.strictObject({
  ...ANNOTATIONS,
  anyOf: z.array(z.record(z.string(), z.unknown())).min(1),
});

export type TypedShape = z.infer<typeof typedSchema>;

/** A JSON Schema of the kinds that a reply can be held to; the schemas inside are not yet read. */
export type SchemaShape =
  | { readonly kind: 'values'; readonly values: readonly unknown[] }
  | { readonly kind: 'any-of'; readonly schemas: readonly Readonly<Record<string, unknown>>[] }
  | { readonly kind: 'typed'; readonly shape: TypedShape };

/** Reads one level of a JSON Schema. Throws `EngineError` (`not-askable`) that names what is unknown and where. */
export function schemaShape(
  schema: Readonly<Record<string, unknown>>,
  path: readonly string[],
): SchemaShape {
  if ('const' in schema) {
    return { kind: 'values', values: [parse(constSchema, schema, path).const] };
  }
  if ('enum' in schema) return { kind: 'values', values: parse(enumSchema, schema, path).enum };
  if ('anyOf' in schema) {
    return { kind: 'any-of', schemas: parse(anyOfSchema, schema, path).anyOf };
  }
  return { kind: 'typed', shape: parse(typedSchema, schema, path) };
}

/** A refusal of a schema, which names the place. */
export function unsupported(path: readonly string[], reason: string): EngineError {
  const place = path.length === 0 ? 'its top level' : path.join('.');
  return new EngineError(
    'not-askable',
    `A reply cannot be held to this JSON Schema: at ${place}, ${reason}.`,
  );
}

function parse<T>(shape: z.ZodType<T>, schema: unknown, path: readonly string[]): T {
  const parsed = shape.safeParse(schema);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = [...path, ...(issue?.path ?? []).map(String)];
  switch (issue?.code) {
    case 'unrecognized_keys':
      throw unsupported(at, `“${issue.keys.join('”, “')}” is not supported`);
    case 'invalid_union':
      throw unsupported(at, 'there is no type, or one that is not supported');
    default:
      throw unsupported(at, issue?.message ?? 'it is no schema');
  }
}
