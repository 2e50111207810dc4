import type { Graph, Tensor } from '../tensor/graph.js';
import { add, layerNorm, linear, relu, reshape } from '../tensor/ops.js';
import type { Architecture } from './architecture.js';

export class Weights<Shape extends Pick<Architecture, 'width' | 'heads'> = Architecture> {
  readonly #shapes: ReadonlyMap<string, readonly number[]>;

  constructor(
    readonly graph: Graph,
    readonly architecture: Shape,
    shapes: ReadonlyMap<string, readonly number[]>,
  ) {
    this.#shapes = shapes;
  }

  get(name: string): Tensor {
    return this.graph.parameter(name, this.#shapes.get(name) ?? []);
  }

  /** Maps `[..., from]` to `[..., to]` by `NAME.w` and `NAME.b`. */
  project(name: string, x: Tensor): Tensor {
    return linear(x, this.get(`${name}.w`), this.get(`${name}.b`));
  }

  norm(name: string, x: Tensor): Tensor {
    return layerNorm(x, this.get(`${name}.norm.g`), this.get(`${name}.norm.b`));
  }

  feedForward(name: string, x: Tensor): Tensor {
    const y = this.norm(`${name}.ff`, x);
    return add(x, this.project(`${name}.down`, relu(this.project(`${name}.up`, y))));
  }

  /** Maps `[..., width]` to `[..., heads, width / heads]`. */
  heads(x: Tensor): Tensor {
    const { heads, width } = this.architecture;
    return reshape(x, [...x.shape.slice(0, -1), heads, width / heads]);
  }
}
