import { applyLayer, normalise, paddingScores } from '../encoder.mjs';
import { makeGraph } from '../onnx-graph.mjs';
import { PATCHES, SHAPE, TILE_ROWS } from './vision-weights.mjs';

/** @typedef {ReturnType<typeof makeGraph>} Graph */
/** @typedef {import('./vision-weights.mjs').VisionWeights} VisionWeights */

const { colours, tile, patch, joined, hidden, features } = SHAPE;

/**
 * `pixel_values` and `pixel_attention_mask` to `image_features`: a row for each `<image>` of each tile,
 * without the tiles that only fill a batch.
 *
 * @param {VisionWeights} weights
 */
export function visionGraph(weights) {
  const graph = makeGraph('tiny-vision');
  const pixels = graph.input({
    name: 'pixel_values',
    type: 'float',
    shape: ['batch_size', 'num_images', colours, tile, tile],
  });
  const mask = graph.input({
    name: 'pixel_attention_mask',
    type: 'bool',
    shape: ['batch_size', 'num_images', tile, tile],
  });
  const kept = keptPatches(graph, mask);
  const scores = paddingScores(graph, kept);
  const rows = weights.layers.reduce(
    (before, layer) => applyLayer(graph, layer, { rows: before, scores }),
    embed(graph, weights, pixels),
  );
  const joinedRows = graph.apply('MatMul', [
    joinNeighbours(graph, rows),
    graph.constant(weights.projection),
  ]);
  const tiles = graph.apply('ReduceMax', [kept], { axes: [1], keepdims: 0 });
  const isTile = graph.apply('Cast', [tiles], { to: 9 });
  graph.output(graph.apply('Compress', [joinedRows, isTile], { axis: 0 }), {
    name: 'image_features',
    type: 'float',
    shape: ['tiles', TILE_ROWS, features],
  });
  return graph;
}

/**
 * 1 for each patch with a pixel that counts: [tiles, patches].
 *
 * @param {Graph} graph
 * @param {string} mask
 */
function keptPatches(graph, mask) {
  const pixels = graph.apply('Reshape', [
    graph.apply('Cast', [mask], { to: 1 }),
    graph.integers([-1, 1, tile, tile]),
  ]);
  const patches = graph.apply('MaxPool', [pixels], cutting());
  return graph.apply('Reshape', [patches, graph.integers([-1, PATCHES ** 2])]);
}

/**
 * @param {Graph} graph
 * @param {VisionWeights} weights
 * @param {string} pixels
 */
function embed(graph, weights, pixels) {
  const tiles = graph.apply('Reshape', [pixels, graph.integers([-1, colours, tile, tile])]);
  const patches = graph.apply('Conv', [tiles, graph.constant(weights.patches)], cutting());
  const flat = graph.apply('Reshape', [patches, graph.integers([0, hidden, PATCHES ** 2])]);
  const rows = graph.apply('Transpose', [flat], { perm: [0, 2, 1] });
  const sum = graph.apply('Add', [rows, graph.constant(weights.positions)]);
  return normalise(graph, sum, weights.norm);
}

/** Into patches side by side. */
function cutting() {
  return { kernel_shape: [patch, patch], strides: [patch, patch] };
}

/**
 * The rows of each square of neighbours as one.
 *
 * @param {Graph} graph
 * @param {string} rows [tiles, patches, hidden]
 */
function joinNeighbours(graph, rows) {
  const across = PATCHES / joined;
  const squares = graph.apply('Reshape', [
    rows,
    graph.integers([-1, across, joined, across, joined * hidden]),
  ]);
  const turned = graph.apply('Transpose', [squares], { perm: [0, 1, 3, 2, 4] });
  return graph.apply('Reshape', [turned, graph.integers([-1, TILE_ROWS, joined ** 2 * hidden])]);
}
