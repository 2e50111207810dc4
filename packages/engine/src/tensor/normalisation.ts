import type { Tensor } from './graph.js';
import { axisOf, checkShape, sameShape, shapeError, show, sizeOf } from './shape.js';
import { add, div, exp, log, mul, needsFloat, sqrt, square, stopGradient, sub } from './elementwise.js';
import { reshape } from './layout.js';
import { linear } from './products.js';
import { max, mean, sum, sumTo } from './reductions.js';

/**
 * exp(x) / sum exp(x) over the last axis. Adding -1e9 masks exactly, and adding -64 masks below float32's resolution; on
 * Intel CPUs the first makes the operator four times slower, because exp passes through denormal numbers.
 */
export function softmax(x: Tensor): Tensor {
  needsFloat('Softmax', x);
  axisOf('Softmax', x.shape, -1);
  return x.graph.node('Softmax', [x], x.shape, 'float32', {
    attributes: { axis: x.shape.length - 1 },
    rule: ([g], [y]) => [() => mul(y!, sub(g!, sum(mul(g!, y!), [-1], { keepDims: true })))],
  });
}

/** x - log sum exp(x) over the last axis. */
export function logSoftmax(x: Tensor): Tensor {
  needsFloat('LogSoftmax', x);
  axisOf('LogSoftmax', x.shape, -1);
  if (x.graph.backend === 'webgpu') {
    // LogSoftmax has no WebGPU kernel. The result does not depend on the offset, so no gradient has to pass it.
    const shifted = sub(x, stopGradient(max(x, -1, { keepDims: true })));
    return sub(shifted, log(sum(exp(shifted), [-1], { keepDims: true })));
  }
  return x.graph.node('LogSoftmax', [x], x.shape, 'float32', {
    attributes: { axis: x.shape.length - 1 },
    rule: ([g], [y]) => [() => sub(g!, mul(exp(y!), sum(g!, [-1], { keepDims: true })))],
  });
}

/**
 * (x - mean) / sqrt(variance + eps) * gamma + beta over the last axis (Ba et al. 2016, equation 4): x [..., d],
 * gamma [d], beta [d].
 */
export function layerNorm(x: Tensor, gamma: Tensor, beta: Tensor, eps = 1e-5): Tensor {
  needsFloat('LayerNormalization', x);
  const d = x.shape.at(-1) ?? 0;
  if (!sameShape(gamma.shape, [d]) || !sameShape(beta.shape, [d])) {
    throw shapeError(
      'LayerNormalization',
      `gamma ${show(gamma.shape)} and beta ${show(beta.shape)} do not fit ${show(x.shape)}`,
    );
  }
  const { graph } = x;
  const attributes = { axis: -1, epsilon: { float: eps } };
  const perRow = { shape: x.shape.with(-1, 1), dtype: 'float32' } as const;
  const outputs = [{ shape: x.shape, dtype: 'float32' } as const, perRow, perRow];
  return graph.nodes('LayerNormalization', [x, gamma, beta], outputs, {
    attributes,
    rule: ([g, , gInvStd], [, , invStd]) => {
      // One fused pass makes the normalised x again: cheaper than a subtraction and a product, and nothing is kept.
      const ones = graph.constant(new Float32Array(d).fill(1), [d]);
      const zeros = graph.constant(new Float32Array(d), [d]);
      const normalised = () => layerNorm(x, ones, zeros, eps);
      const scaled = () => mul(g!, normalised());
      // mean over d of (v * gamma), as a product of a matrix and a vector
      const meanByGamma = (v: Tensor) => linear(v, reshape(mul(gamma, 1 / d), [d, 1]));
      const fromY = () =>
        mul(sub(sub(mul(g!, gamma), mul(normalised(), meanByGamma(scaled()))), meanByGamma(g!)), invStd!);
      // Second derivatives pass 1 / std, of which the derivative is -normalised / (d std²).
      const fromInvStd = () => mul(normalised(), mul(mul(gInvStd!, square(invStd!)), -1 / d));
      return [
        () => (!gInvStd ? fromY() : !g ? fromInvStd() : add(fromY(), fromInvStd())),
        () => (g ? sumTo(scaled(), gamma.shape) : zeros),
        () => (g ? sumTo(g, beta.shape) : zeros),
      ];
    },
  })[0]!;
}

/** x / sqrt(mean of x² + eps) * gamma over the last axis (Zhang and Sennrich 2019, equation 4): x [..., d], gamma [d]. */
export function rmsNorm(x: Tensor, gamma: Tensor, eps = 1e-5): Tensor {
  if (!sameShape(gamma.shape, x.shape.slice(-1)) || x.shape.length === 0) {
    throw shapeError(
      'rmsNorm',
      `gamma ${show(gamma.shape)} does not fit ${show(x.shape)}`,
      'gamma is as long as the last axis',
    );
  }
  const rms = sqrt(add(mean(square(x), [-1], { keepDims: true }), eps));
  return mul(div(x, rms), gamma);
}

/**
 * Layer norm over the channels of each group and all pixels, then scaled by channel (Wu and He 2018): x [batch, channels,
 * ...], gamma and beta [channels]. Throws 'shape' if the groups do not divide the channels.
 */
export function groupNorm(x: Tensor, gamma: Tensor, beta: Tensor, groups: number, eps = 1e-5): Tensor {
  const [batch, channels] = x.shape;
  checkShape('groupNorm', [groups]);
  if (batch === undefined || channels === undefined || channels % groups !== 0) {
    throw shapeError(
      'groupNorm',
      `${groups} groups do not divide the channels of ${show(x.shape)}`,
      'x is [batch, channels, ...]',
    );
  }
  if (!sameShape(gamma.shape, [channels]) || !sameShape(beta.shape, [channels])) {
    throw shapeError(
      'groupNorm',
      `gamma ${show(gamma.shape)} and beta ${show(beta.shape)} do not fit ${show(x.shape)}`,
    );
  }
  const size = sizeOf(x.shape) / (batch * groups);
  const ones = x.graph.constant(new Float32Array(size).fill(1), [size]);
  const zeros = x.graph.constant(new Float32Array(size), [size]);
  const normalised = reshape(layerNorm(reshape(x, [batch * groups, size]), ones, zeros, eps), x.shape);
  const perChannel = [channels, ...x.shape.slice(2).map(() => 1)];
  return add(mul(normalised, reshape(gamma, perChannel)), reshape(beta, perChannel));
}
