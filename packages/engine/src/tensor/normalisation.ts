import type { Tensor } from './graph.js';
import { axisOf, sameShape, shapeError, show } from './shape.js';
import { add, exp, log, mul, square, stopGradient, sub } from './elementwise.js';
import { needsFloat, sum, sumTo } from './broadcast.js';
import { reshape } from './reshape.js';
import { linear } from './products.js';
import { max } from './reductions.js';

/**
 * Normalises the last axis. Adding -1e9 masks exactly; -64 masks below float32's resolution, four times faster on Intel
 * CPUs, where exp otherwise meets denormals.
 */
export function softmax(x: Tensor): Tensor {
  needsFloat('Softmax', x);
  axisOf('Softmax', x.shape, -1);
  return x.graph.node('Softmax', [x], x.shape, 'float32', {
    attributes: { axis: x.shape.length - 1 },
    rule: ([g], [y]) => [() => mul(y!, sub(g!, sum(mul(g!, y!), [-1], { keepDims: true })))],
  });
}

export function logSoftmax(x: Tensor): Tensor {
  needsFloat('LogSoftmax', x);
  axisOf('LogSoftmax', x.shape, -1);
  if (x.graph.backend === 'webgpu') {
    // LogSoftmax has no WebGPU kernel. The result does not depend on the offset, so no gradient needs to pass it.
    const shifted = sub(x, stopGradient(max(x, -1, { keepDims: true })));
    return sub(shifted, log(sum(exp(shifted), [-1], { keepDims: true })));
  }
  return x.graph.node('LogSoftmax', [x], x.shape, 'float32', {
    attributes: { axis: x.shape.length - 1 },
    rule: ([g], [y]) => [() => sub(g!, mul(exp(y!), sum(g!, [-1], { keepDims: true })))],
  });
}

/**
 * Returns (x - mean) / sqrt(variance + eps) * gamma + beta over the last axis (Ba et al. 2016, equation 4): x [..., d],
 * gamma [d], beta [d].
 */
export function layerNorm(x: Tensor, gamma: Tensor, beta: Tensor, eps = 1e-5): Tensor {
  needsFloat('LayerNormalization', x);
  const d = x.shape.at(-1) ?? 0;
  if (!sameShape(gamma.shape, [d]) || !sameShape(beta.shape, [d])) {
    throw shapeError(
      'LayerNormalization',
      `gamma ${show(gamma.shape)} and beta ${show(beta.shape)} do not match ${show(x.shape)}`,
    );
  }
  const { graph } = x;
  const attributes = { axis: -1, epsilon: { float: eps } };
  const perRow = { shape: x.shape.with(-1, 1), dtype: 'float32' } as const;
  const outputs = [{ shape: x.shape, dtype: 'float32' } as const, perRow, perRow];
  return graph.nodes('LayerNormalization', [x, gamma, beta], outputs, {
    attributes,
    rule: ([g, , gInvStd], [, , invStd]) => {
      // Recomputing the normalised x is cheaper than a subtraction and a product, and stores nothing.
      const ones = graph.constant(new Float32Array(d).fill(1), [d]);
      const zeros = graph.constant(new Float32Array(d), [d]);
      const normalised = () => layerNorm(x, ones, zeros, eps);
      const scaled = () => mul(g!, normalised());
      // mean over d of (v * gamma), as a matrix-vector product
      const meanByGamma = (v: Tensor) => linear(v, reshape(mul(gamma, 1 / d), [d, 1]));
      const fromY = () =>
        mul(sub(sub(mul(g!, gamma), mul(normalised(), meanByGamma(scaled()))), meanByGamma(g!)), invStd!);
      // Second derivatives pass 1 / std, whose derivative is -normalised / (d std²).
      const fromInvStd = () => mul(normalised(), mul(mul(gInvStd!, square(invStd!)), -1 / d));
      return [
        () => (!gInvStd ? fromY() : !g ? fromInvStd() : add(fromY(), fromInvStd())),
        () => (g ? sumTo(scaled(), gamma.shape) : zeros),
        () => (g ? sumTo(g, beta.shape) : zeros),
      ];
    },
  })[0]!;
}
