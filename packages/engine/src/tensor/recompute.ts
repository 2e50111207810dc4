import type { Tensor } from './graph.js';
import { less, where } from './elementwise.js';
import { between, pullback } from './gradients.js';
import { slice } from './layout.js';
import { reshape } from './reshape.js';
import { sameShape, shapeError, show } from './shape.js';

/**
 * Recomputes the block's inner values for the gradient (Chen et al. 2016, "Training deep nets with sublinear memory
 * cost"). Other tensors that it uses, such as parameters, get gradients too. It is called again for each gradient and
 * must build the same.
 */
export function recompute(block: (...inputs: Tensor[]) => Tensor, inputs: readonly Tensor[]): Tensor {
  const [first] = inputs;
  if (!first) throw shapeError('recompute', 'no inputs were given', 'pass the tensors that the block starts from');
  const { graph } = first;
  // Renamed copies share no nodes with the outside, which would not be recomputed.
  const renamed = inputs.map(rename);
  const y = block(...renamed);
  const { inside, used } = surroundings(y, new Set(renamed));
  if (!inside.has(y)) return y;
  const wrt = [...new Set([...inputs, ...used])];
  return graph.node('Identity', [y], y.shape, y.dtype, {
    wrt,
    rule: ([g]) => {
      const late = new Map(inputs.map((input) => [input, after(g!, input)]));
      const again = block(...inputs.map((input) => late.get(input)!));
      if (!sameShape(again.shape, y.shape)) {
        throw shapeError(
          'recompute',
          `the block is not deterministic: it built ${show(y.shape)}, then ${show(again.shape)}`,
        );
      }
      const starts = wrt.map((end) => late.get(end) ?? end);
      const isStart = new Set(starts);
      const nodes = between((tensor) => isStart.has(tensor), [again]);
      return pullback(again, g!, starts, nodes).map((gradient) => gradient && (() => gradient));
    },
  });
}

function rename(x: Tensor): Tensor {
  return x.graph.node('Identity', [x], x.shape, x.dtype, { rule: ([g]) => [() => g!] });
}

function surroundings(y: Tensor, starts: ReadonlySet<Tensor>) {
  const inside = new Set<Tensor>();
  const used = new Set<Tensor>();
  const isInside = (tensor: Tensor) => starts.has(tensor) || inside.has(tensor);
  for (const node of between((tensor) => starts.has(tensor), [y])) {
    if (!node.inputs.some(isInside)) continue;
    for (const output of node.outputs) inside.add(output);
    for (const input of node.inputs) if (!isInside(input) && input.source.kind !== 'constant') used.add(input);
  }
  return { inside, used };
}

/**
 * Makes x depend on g through the shape of a reshape, which costs no copy. Otherwise the runtime would merge both
 * forward passes, or run the second too early.
 */
function after(g: Tensor, x: Tensor): Tensor {
  const { graph } = x;
  const element = reshape(slice(reshape(g, [-1]), 0, 0, 1), []);
  const shape = graph.integers(x.shape);
  return graph.node('Reshape', [x, where(less(element, 0), shape, shape)], x.shape, x.dtype, {
    rule: ([arriving]) => [() => arriving!, undefined],
  });
}
