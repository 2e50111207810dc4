import type { Tensor } from './graph.js';
import { add, div, erf, exp, greater, mul, square, sub, unary, where } from './elementwise.js';
import { needsFloat } from './broadcast.js';

export function tanh(x: Tensor): Tensor {
  return unary('Tanh', x, (g, y) => mul(g, sub(1, square(y))));
}

/** The gradient at 0 is 0. */
export function relu(x: Tensor): Tensor {
  return unary('Relu', x, (g) => where(greater(x, 0), g, 0));
}

/**
 * Returns the exact GELU (Hendrycks and Gimpel 2016). With z = x / sqrt 2 the derivative is 0.5 (1 + erf z + 2 /
 * sqrt(pi) * z / exp(z²)).
 */
export function gelu(x: Tensor): Tensor {
  needsFloat('Gelu', x);
  return x.graph.node('Gelu', [x], x.shape, x.dtype, {
    domain: x.graph.standard ? '' : 'com.microsoft',
    rule: ([g]) => [
      () => {
        const z = mul(x, Math.SQRT1_2);
        const twiceDensity = mul(div(z, exp(square(z))), 2 / Math.sqrt(Math.PI));
        const half = mul(g!, 0.5);
        return add(mul(half, add(erf(z), twiceDensity)), half);
      },
    ],
  });
}
