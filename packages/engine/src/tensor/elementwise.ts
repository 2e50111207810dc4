import { type DType, type Graph, type Rule, Tensor } from './graph.js';
import { broadcast, shapeError } from './shape.js';
import { onnxType } from './onnx.js';
import { needsFloat, sumTo } from './broadcast.js';

/** A number is a scalar of the other operand's type. */
export type Operand = Tensor | number;

function graphOf(op: string, ...operands: Operand[]): Graph {
  const tensor = operands.find((operand) => operand instanceof Tensor);
  if (!tensor) throw shapeError(op, 'one operand must be a tensor');
  return tensor.graph;
}

function tensorOf(op: string, graph: Graph, operand: Operand, dtype: DType): Tensor {
  if (operand instanceof Tensor) return operand;
  if (dtype !== 'int32') return graph.scalar(operand);
  if (operand !== (operand | 0))
    throw shapeError(op, `${operand} is not an int32`, 'cast the other operand to float32');
  return graph.constant(Int32Array.of(operand), []);
}

function operands(op: string, a: Operand, b: Operand): [Tensor, Tensor, Graph] {
  const graph = graphOf(op, a, b);
  const dtype = a instanceof Tensor ? a.dtype : (b as Tensor).dtype;
  const left = tensorOf(op, graph, a, dtype);
  const right = tensorOf(op, graph, b, dtype);
  if (left.dtype !== right.dtype) {
    throw shapeError(op, `operands are ${left.dtype} and ${right.dtype}`, 'cast one of them');
  }
  return [left, right, graph];
}

type Gradient = (g: Tensor, a: Tensor, b: Tensor, y: Tensor) => Tensor;

/** Sums gradients over broadcast axes. */
function binary(op: string, a: Operand, b: Operand, gradientA: Gradient, gradientB: Gradient): Tensor {
  const [left, right, graph] = operands(op, a, b);
  const shape = broadcast(op, left.shape, right.shape);
  const rule: Rule = ([g], [y]) => [
    () => sumTo(gradientA(g!, left, right, y!), left.shape),
    () => sumTo(gradientB(g!, left, right, y!), right.shape),
  ];
  return graph.node(op, [left, right], shape, left.dtype, { rule });
}

/** `gradient` maps the arriving gradient and the output. */
export function unary(op: string, x: Tensor, gradient: (g: Tensor, y: Tensor) => Tensor): Tensor {
  needsFloat(op, x);
  return x.graph.node(op, [x], x.shape, x.dtype, { rule: ([g], [y]) => [() => gradient(g!, y!)] });
}

export function add(a: Operand, b: Operand): Tensor {
  return binary(
    'Add',
    a,
    b,
    (g) => g,
    (g) => g,
  );
}

export function sub(a: Operand, b: Operand): Tensor {
  return binary(
    'Sub',
    a,
    b,
    (g) => g,
    (g) => neg(g),
  );
}

export function mul(a: Operand, b: Operand): Tensor {
  return binary(
    'Mul',
    a,
    b,
    (g, _a, right) => mul(g, right),
    (g, left) => mul(g, left),
  );
}

export function div(a: Operand, b: Operand): Tensor {
  return binary(
    'Div',
    a,
    b,
    (g, _a, right) => div(g, right),
    (g, _a, right, y) => neg(div(mul(g, y), right)),
  );
}

/** The gradient goes to `a` on ties. */
export function minimum(a: Operand, b: Operand): Tensor {
  return binary(
    'Min',
    a,
    b,
    (g, l, r) => where(greater(l, r), 0, g),
    (g, l, r) => where(greater(l, r), g, 0),
  );
}

/** The gradient goes to `a` on ties. */
export function maximum(a: Operand, b: Operand): Tensor {
  return binary(
    'Max',
    a,
    b,
    (g, l, r) => where(less(l, r), 0, g),
    (g, l, r) => where(less(l, r), g, 0),
  );
}

/** Passes the gradient within [lo, hi], bounds included. */
export function clip(x: Tensor, lo: number, hi: number): Tensor {
  needsFloat('Clip', x);
  if (!(lo <= hi))
    throw shapeError('Clip', `the bounds ${lo} and ${hi} are out of order`, 'pass the lower bound first');
  const { graph } = x;
  return graph.node('Clip', [x, graph.scalar(lo), graph.scalar(hi)], x.shape, x.dtype, {
    rule: ([g], [y]) => [() => where(equal(x, y!), g!, 0), undefined, undefined],
  });
}

export function neg(x: Tensor): Tensor {
  return x.graph.node('Neg', [x], x.shape, x.dtype, { rule: ([g]) => [() => neg(g!)] });
}

export function exp(x: Tensor): Tensor {
  return unary('Exp', x, (g, y) => mul(g, y));
}

export function log(x: Tensor): Tensor {
  return unary('Log', x, (g) => div(g, x));
}

export function sqrt(x: Tensor): Tensor {
  return unary('Sqrt', x, (g, y) => div(mul(g, 0.5), y));
}

export function square(x: Tensor): Tensor {
  return mul(x, x);
}

/** The gradient at 0 is 0. */
export function abs(x: Tensor): Tensor {
  return unary('Abs', x, (g) => mul(g, sign(x)));
}

/** Has no gradient. */
function sign(x: Tensor): Tensor {
  // Sign has no WebGPU kernel.
  if (x.graph.backend === 'webgpu') return sub(cast(greater(x, 0), x.dtype), cast(less(x, 0), x.dtype));
  return x.graph.node('Sign', [x], x.shape, x.dtype);
}

export function erf(x: Tensor): Tensor {
  return unary('Erf', x, (g) => mul(mul(g, 2 / Math.sqrt(Math.PI)), exp(neg(square(x)))));
}

/** Broadcasts all operands; `condition` is bool. */
export function where(condition: Tensor, a: Operand, b: Operand): Tensor {
  if (condition.dtype !== 'bool')
    throw shapeError('Where', `the condition is ${condition.dtype}, not bool`, 'use the result of a comparison');
  const [left, right, graph] = operands('Where', a, b);
  const shape = broadcast('Where', condition.shape, broadcast('Where', left.shape, right.shape));
  const rule: Rule = ([g]) => [
    undefined,
    () => sumTo(where(condition, g!, 0), left.shape),
    () => sumTo(where(condition, 0, g!), right.shape),
  ];
  return graph.node('Where', [condition, left, right], shape, left.dtype, { rule });
}

function comparison(op: string, a: Operand, b: Operand): Tensor {
  const [left, right, graph] = operands(op, a, b);
  return graph.node(op, [left, right], broadcast(op, left.shape, right.shape), 'bool');
}

export function equal(a: Operand, b: Operand): Tensor {
  return comparison('Equal', a, b);
}

export function greater(a: Operand, b: Operand): Tensor {
  return comparison('Greater', a, b);
}

export function less(a: Operand, b: Operand): Tensor {
  return comparison('Less', a, b);
}

/** A change of type stops the gradient. */
export function cast(x: Tensor, dtype: DType): Tensor {
  if (x.dtype === dtype) return x;
  return x.graph.node('Cast', [x], x.shape, dtype, { attributes: { to: onnxType[dtype] } });
}

export function stopGradient(x: Tensor): Tensor {
  return x.graph.node('Identity', [x], x.shape, x.dtype);
}
