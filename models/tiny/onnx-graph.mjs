import {
  bytesField,
  floatField,
  integerField,
  join,
  messageField,
  textField,
} from './protobuf.mjs';

/** Field numbers below are those of onnx.proto, messages by name. */
const IR_VERSION = 8;
const OPSET = 17;
/** TensorProto.DataType. */
const ELEMENT_TYPES = { float: 1, int64: 7, bool: 9 };
/** AttributeProto.AttributeType. */
const ATTRIBUTE_TYPES = { float: 1, int: 2, ints: 7 };

/** @typedef {keyof typeof ELEMENT_TYPES} ElementType */
/** @typedef {{ name: string, shape: readonly number[], values: Float32Array | BigInt64Array }} Constant */
/** @typedef {number | readonly number[] | { float: number }} Attribute a plain number is an integer */
/**
 * What goes in or comes out. An axis of any length has a name; transformers.js looks for
 * `batch_size`.
 *
 * @typedef {{ name: string, type: ElementType, shape: readonly (number | string)[] }} Port
 */

/**
 * A graph in the making. Values go by their names: each method gives the name of the value it adds, for
 * later ones to use.
 *
 * @param {string} name
 */
export function makeGraph(name) {
  /** @type {Port[]} */
  const inputs = [];
  /** @type {Port[]} */
  const outputs = [];
  /** @type {Map<string, Constant>} */
  const constants = new Map();
  /** @type {Uint8Array[]} */
  const nodes = [];

  return { input, constant, scalar, integer, integers, apply, output, toModel };

  /** @param {Port} port */
  function input(port) {
    inputs.push(port);
    return port.name;
  }

  /** @param {Constant} one */
  function constant(one) {
    const known = constants.get(one.name);
    if (known !== undefined && known !== one) throw new Error(`two constants “${one.name}”`);
    constants.set(one.name, one);
    return one.name;
  }

  /**
   * The same number is kept once.
   *
   * @param {number} value
   */
  function scalar(value) {
    const named = `scalar ${value}`;
    return constant(
      constants.get(named) ?? { name: named, shape: [], values: Float32Array.of(value) },
    );
  }

  /**
   * The same whole number is kept once.
   *
   * @param {number} value
   */
  function integer(value) {
    const named = `integer ${value}`;
    return constant(
      constants.get(named) ?? { name: named, shape: [], values: BigInt64Array.of(BigInt(value)) },
    );
  }

  /**
   * The same list is kept once.
   *
   * @param {readonly number[]} values
   */
  function integers(values) {
    const named = `integers ${values.join(' ')}`;
    return constant(
      constants.get(named) ?? {
        name: named,
        shape: [values.length],
        values: BigInt64Array.from(values, BigInt),
      },
    );
  }

  /**
   * An operator of ONNX with one output.
   *
   * @param {string} operator
   * @param {readonly string[]} from names of values, in the operator's order
   * @param {Readonly<Record<string, Attribute>>} [attributes]
   */
  function apply(operator, from, attributes = {}) {
    const result = `${operator} ${nodes.length}`;
    nodes.push(nodeBytes({ operator, from, result, attributes }));
    return result;
  }

  /**
   * @param {string} value what comes out
   * @param {Port} port under which name
   */
  function output(value, port) {
    nodes.push(
      nodeBytes({ operator: 'Identity', from: [value], result: port.name, attributes: {} }),
    );
    outputs.push(port);
  }

  /** The bytes of the ONNX file (ModelProto). */
  function toModel() {
    return join([
      integerField(1, IR_VERSION),
      textField(2, 'grove'),
      messageField(7, [
        ...nodes.map((bytes) => bytesField(1, bytes)),
        textField(2, name),
        ...[...constants.values()].map((one) => messageField(5, constantFields(one))),
        ...inputs.map((port) => messageField(11, portFields(port))),
        ...outputs.map((port) => messageField(12, portFields(port))),
      ]),
      messageField(8, [textField(1, ''), integerField(2, OPSET)]),
    ]);
  }
}

/**
 * NodeProto.
 *
 * @param {{ operator: string, from: readonly string[], result: string, attributes: Readonly<Record<string, Attribute>> }} node
 */
function nodeBytes({ operator, from, result, attributes }) {
  return join([
    ...from.map((value) => textField(1, value)),
    textField(2, result),
    textField(3, `${operator} to ${result}`),
    textField(4, operator),
    ...Object.entries(attributes).map(([key, value]) =>
      messageField(5, [textField(1, key), ...attributeFields(value)]),
    ),
  ]);
}

/**
 * AttributeProto without its name.
 *
 * @param {Attribute} value
 */
function attributeFields(value) {
  if (typeof value === 'number') {
    return [integerField(3, value), integerField(20, ATTRIBUTE_TYPES.int)];
  }
  if ('float' in value) {
    return [floatField(2, value.float), integerField(20, ATTRIBUTE_TYPES.float)];
  }
  return [...value.map((one) => integerField(8, one)), integerField(20, ATTRIBUTE_TYPES.ints)];
}

/**
 * TensorProto. Its raw data is little-endian, as every machine is that runs Node.
 *
 * @param {Constant} constant
 */
function constantFields({ name, shape, values }) {
  const type = values instanceof Float32Array ? ELEMENT_TYPES.float : ELEMENT_TYPES.int64;
  return [
    ...shape.map((length) => integerField(1, length)),
    integerField(2, type),
    textField(8, name),
    bytesField(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)),
  ];
}

/**
 * ValueInfoProto, with TypeProto.Tensor and TensorShapeProto.
 *
 * @param {Port} port
 */
function portFields({ name, type, shape }) {
  const axes = shape.map((axis) =>
    messageField(1, [typeof axis === 'number' ? integerField(1, axis) : textField(2, axis)]),
  );
  return [
    textField(1, name),
    messageField(2, [
      messageField(1, [integerField(1, ELEMENT_TYPES[type]), messageField(2, axes)]),
    ]),
  ];
}
