import { describe, expect, it } from 'vitest';
import { gradients } from './gradients.js';
import { Graph } from './graph.js';
import * as ops from './ops.js';

describe('a graph', () => {
  const graph = new Graph();
  const x = graph.input('x', [3, 4]);
  const w = graph.parameter('w', [4, 5]);

  it('builds equal nodes and constants once', () => {
    const build = () => ops.softmax(ops.add(ops.matmul(x, w, { scale: 0.5 }), graph.constant([1, 2, 3, 4, 5], [5])));
    expect(build()).toBe(build());
    expect(gradients(ops.sum(build()), [w])[0]).toBe(gradients(ops.sum(build()), [w])[0]);
    expect(ops.split(x, 1, [1, 3])[1]).toBe(ops.split(x, 1, [1, 3])[1]);
  });

  it('keeps apart what differs in an input, an attribute, a shape or a type', () => {
    expect(ops.matmul(x, w, { scale: 0.5 })).not.toBe(ops.matmul(x, w, { scale: 0.25 }));
    expect(ops.sub(x, graph.scalar(1))).not.toBe(ops.sub(graph.scalar(1), x));
    expect(ops.reshape(x, [12])).not.toBe(ops.reshape(x, [2, 6]));
    expect(ops.sum(x, [0])).not.toBe(ops.sum(x, [0], { keepDims: true }));
    expect(graph.constant([0, 0], [2])).not.toBe(graph.constant(Int32Array.of(0, 0), [2]));
  });

  it('keeps apart what passes a gradient and what does not', () => {
    const y = ops.recompute((x) => ops.exp(x), [x]);
    const [through, stopped] = gradients(ops.sum(ops.add(y, ops.stopGradient(ops.stopGradient(x)))), [x, w]);
    expect(through).not.toBe(ops.zeros(graph, [3, 4]));
    expect(stopped).toBe(ops.zeros(graph, [4, 5]));
    // The gradient of layerNorm normalises x again; a later layerNorm uses the same node.
    const [ones, zeros] = [graph.constant([1, 1, 1, 1], [4]), graph.constant([0, 0, 0, 0], [4])];
    const gamma = graph.parameter('gamma', [4]);
    gradients(ops.sum(ops.square(ops.layerNorm(x, gamma, zeros))), [x, gamma]);
    expect(gradients(ops.sum(ops.square(ops.layerNorm(x, ones, zeros))), [x])[0]).not.toBe(ops.zeros(graph, [3, 4]));
  });
});
