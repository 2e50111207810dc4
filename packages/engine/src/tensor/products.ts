import type { Rule, Tensor } from './graph.js';
import { broadcast, sameShape, shapeError, show, sizeOf } from './shape.js';
import { add, mul } from './elementwise.js';
import { needsFloat, sum, sumTo } from './broadcast.js';
import { transpose } from './layout.js';
import { reshape } from './reshape.js';

export interface MatmulOptions {
  transposeA?: boolean;
  transposeB?: boolean;
  /** Free on the CPU. Default 1. */
  scale?: number;
}

/** Maps [..., m, k] x [..., k, n] to [..., m, n]; leading axes broadcast. */
export function matmul(a: Tensor, b: Tensor, options: MatmulOptions = {}): Tensor {
  const { transposeA = false, transposeB = false, scale = 1 } = options;
  needsFloat('MatMul', a);
  needsFloat('MatMul', b);
  if (a.shape.length < 2 || b.shape.length < 2) {
    throw shapeError(
      'MatMul',
      `${show(a.shape)} and ${show(b.shape)} must both have at least two axes`,
      'reshape a vector',
    );
  }
  const m = a.shape.at(transposeA ? -1 : -2)!;
  const k = a.shape.at(transposeA ? -2 : -1)!;
  const n = b.shape.at(transposeB ? -2 : -1)!;
  if (k !== b.shape.at(transposeB ? -1 : -2)) {
    const how = (name: string, transposed: boolean) => (transposed ? `${name} transposed` : name);
    throw shapeError(
      'MatMul',
      `${how(show(a.shape), transposeA)} and ${how(show(b.shape), transposeB)}: inner lengths differ`,
    );
  }
  // One large product is faster than many small ones.
  if (a.shape.length > 2 && b.shape.length === 2 && !transposeA) {
    return reshape(matmul(reshape(a, [-1, k]), b, { transposeB, scale }), [...a.shape.slice(0, -1), n]);
  }
  if ((a.graph.backend === 'webgpu' || a.graph.standard) && (transposeA || transposeB || scale !== 1)) {
    const product = matmul(transposeA ? swapLast(a) : a, transposeB ? swapLast(b) : b);
    return scale === 1 ? product : mul(product, scale);
  }
  const shape = [...broadcast('MatMul', a.shape.slice(0, -2), b.shape.slice(0, -2)), m, n];
  const { graph } = a;
  const rule: Rule = ([g]) => [
    () =>
      sumTo(
        transposeA
          ? matmul(b, g!, { transposeA: transposeB, transposeB: true, scale })
          : matmul(g!, b, { transposeB: !transposeB, scale }),
        a.shape,
      ),
    () =>
      sumTo(
        transposeB
          ? matmul(g!, a, { transposeA: true, transposeB: transposeA, scale })
          : matmul(a, g!, { transposeA: !transposeA, scale }),
        b.shape,
      ),
  ];
  if (!transposeA && !transposeB && scale === 1) return graph.node('MatMul', [a, b], shape, 'float32', { rule });
  const attributes = { transA: transposeA ? 1 : 0, transB: transposeB ? 1 : 0, alpha: { float: scale } };
  return shape.length === 2
    ? graph.node('Gemm', [a, b], shape, 'float32', { attributes, rule })
    : graph.node('FusedMatMul', [a, b], shape, 'float32', { domain: 'com.microsoft', attributes, rule });
}

function swapLast(x: Tensor): Tensor {
  const last = x.shape.length - 1;
  return transpose(x, [...x.shape.keys()].with(last, last - 1).with(last - 1, last));
}

/** Maps [..., in] x [in, out] + [out] to [..., out]. */
export function linear(x: Tensor, w: Tensor, b?: Tensor): Tensor {
  if (w.shape.length !== 2 || x.shape.length < 1 || x.shape.at(-1) !== w.shape[0]) {
    throw shapeError('linear', `${show(x.shape)} does not match weights ${show(w.shape)}`, 'weights are [in, out]');
  }
  const [, out] = w.shape as [number, number];
  if (b && !sameShape(b.shape, [out])) throw shapeError('linear', `the bias has shape ${show(b.shape)}, not [${out}]`);
  const rows = reshape(x, [sizeOf(x.shape.slice(0, -1)), w.shape[0]!]);
  return reshape(b ? gemm(rows, w, b) : matmul(rows, w), [...x.shape.slice(0, -1), out]);
}

function gemm(x: Tensor, w: Tensor, b: Tensor): Tensor {
  if (x.graph.backend === 'webgpu') return add(matmul(x, w), b);
  return x.graph.node('Gemm', [x, w, b], [x.shape[0]!, w.shape[1]!], 'float32', {
    rule: ([g]) => [
      () => matmul(g!, w, { transposeB: true }),
      () => matmul(x, g!, { transposeA: true }),
      () => sum(g!, [0]),
    ],
  });
}
