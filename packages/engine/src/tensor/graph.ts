import { createHash } from 'node:crypto';
import { GyreError } from '@gyre/protocol';
import { checkShape, sameShape, show, sizeOf, type Shape } from './shape.js';

export type DType = 'float32' | 'int32' | 'int64' | 'bool' | 'uint8' | 'int8';

export type Attribute = number | readonly number[] | { readonly float: number } | string;

/**
 * Maps output gradients (undefined where none arrives) to a thunk per input or tensor of `wrt`. A thunk runs only if
 * its tensor needs a gradient. Thunks share nodes, since equal nodes are built once.
 */
export type Rule = (
  gradients: readonly (Tensor | undefined)[],
  outputs: readonly Tensor[],
) => readonly ((() => Tensor) | undefined)[];

export interface Node {
  readonly op: string;
  readonly domain: '' | 'com.microsoft';
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Absent where no gradient passes. */
  readonly rule?: Rule;
  /** The ends of a recomputed block, if not the inputs. */
  readonly wrt?: readonly Tensor[];
}

export type Source =
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'constant'; readonly bytes: Uint8Array }
  | { readonly kind: 'node'; readonly node: Node };

/** A symbolic value of static shape. */
export class Tensor {
  constructor(
    readonly graph: Graph,
    /** Inputs have lower ids than outputs. */
    readonly id: number,
    readonly shape: Shape,
    readonly dtype: DType,
    readonly source: Source,
  ) {}
}

export interface NodeOptions {
  domain?: '' | 'com.microsoft';
  attributes?: Readonly<Record<string, Attribute>>;
  rule?: Rule;
  wrt?: readonly Tensor[];
}

/** Execution provider; operators with kernels differ. */
export type Backend = 'cpu' | 'webgpu';

export interface GraphOptions {
  readonly backend?: Backend;
  /** Restricts operators to ONNX's own, for models that run elsewhere. */
  readonly standard?: boolean;
}

/** Builds equal nodes once; nodes are equal only if a gradient passes both or neither. */
export class Graph {
  readonly backend: Backend;
  readonly standard: boolean;
  #count = 0;
  readonly #inputs = new Map<string, Tensor>();
  readonly #parameters = new Map<string, Tensor>();
  readonly #constants = new Map<string, Tensor>();
  readonly #nodes = new Map<string, Node>();

  constructor({ backend = 'cpu', standard = false }: GraphOptions = {}) {
    this.backend = backend;
    this.standard = standard;
  }

  input(name: string, shape: Shape, dtype: DType = 'float32'): Tensor {
    return this.#named(this.#inputs, 'input', name, shape, dtype);
  }

  parameter(name: string, shape: Shape): Tensor {
    return this.#named(this.#parameters, 'parameter', name, shape, 'float32');
  }

  hasParameter(name: string): boolean {
    return this.#parameters.has(name);
  }

  /** Numbers become float32. */
  constant(data: Float32Array | Int32Array | Uint8Array | Int8Array | readonly number[], shape: Shape): Tensor {
    if (data instanceof Int32Array) return this.#constant(data, shape, 'int32');
    if (data instanceof Uint8Array) return this.#constant(data, shape, 'uint8');
    if (data instanceof Int8Array) return this.#constant(data, shape, 'int8');
    return this.#constant(data instanceof Float32Array ? data : Float32Array.from(data), shape, 'float32');
  }

  scalar(value: number): Tensor {
    return this.constant([value], []);
  }

  /** int64 is ONNX's type for shapes and axes. */
  integers(values: readonly number[]): Tensor {
    return this.#constant(BigInt64Array.from(values, BigInt), [values.length], 'int64');
  }

  copyLeaf({ source, shape, dtype }: Tensor): Tensor {
    if (source.kind === 'input') return this.input(source.name, shape, dtype);
    if (source.kind === 'constant') return this.#kept(source.bytes, shape, dtype);
    throw new GyreError('shape', `cannot copy a ${source.kind}`, {
      field: 'leaf',
      fix: 'pass an input or a constant',
    });
  }

  node(op: string, inputs: readonly Tensor[], shape: Shape, dtype: DType, options: NodeOptions = {}): Tensor {
    return this.nodes(op, inputs, [{ shape, dtype }], options)[0]!;
  }

  nodes(
    op: string,
    inputs: readonly Tensor[],
    outputs: readonly { shape: Shape; dtype: DType }[],
    options: NodeOptions = {},
  ): readonly Tensor[] {
    const { domain = '', attributes = {}, rule, wrt } = options;
    for (const input of inputs) {
      if (input.graph !== this)
        throw new GyreError('shape', `${op}: the inputs belong to different graphs`, { field: op });
    }
    const ids = (tensors: readonly Tensor[]) => tensors.map(({ id }) => id).join();
    const gradient = rule ? (wrt ? `to ${ids(wrt)}` : 'to inputs') : 'none';
    const key = `${domain}.${op}(${ids(inputs)})${JSON.stringify(attributes)}:${outputs[0]!.dtype}, gradient ${gradient}`;
    const known = this.#nodes.get(key);
    if (known) return known.outputs;
    const results: Tensor[] = [];
    const node: Node = {
      op,
      domain,
      inputs,
      outputs: results,
      attributes,
      ...(rule ? { rule } : {}),
      ...(wrt ? { wrt } : {}),
    };
    for (const { shape, dtype } of outputs)
      results.push(new Tensor(this, this.#count++, shape, dtype, { kind: 'node', node }));
    this.#nodes.set(key, node);
    return results;
  }

  #named(table: Map<string, Tensor>, kind: 'input' | 'parameter', name: string, shape: Shape, dtype: DType): Tensor {
    checkShape(`${kind} ${name}`, shape);
    const known = table.get(name);
    if (!known) {
      const tensor = new Tensor(this, this.#count++, [...shape], dtype, { kind, name });
      table.set(name, tensor);
      return tensor;
    }
    if (!sameShape(known.shape, shape) || known.dtype !== dtype) {
      throw new GyreError(
        'shape',
        `${kind} ${name} is ${known.dtype} ${show(known.shape)}, not ${dtype} ${show(shape)}`,
        { field: name, fix: 'use another name' },
      );
    }
    return known;
  }

  #constant(
    data: Float32Array | Int32Array | BigInt64Array | Uint8Array | Int8Array,
    shape: Shape,
    dtype: DType,
  ): Tensor {
    if (data.length !== sizeOf(shape)) {
      throw new GyreError('shape', `a constant of shape ${show(shape)} got ${data.length} values`, {
        field: 'constant',
      });
    }
    return this.#kept(
      new Uint8Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)),
      shape,
      dtype,
    );
  }

  #kept(bytes: Uint8Array, shape: Shape, dtype: DType): Tensor {
    const key = `${dtype}[${shape.join()}]${createHash('sha256').update(bytes).digest('hex')}`;
    const known =
      this.#constants.get(key) ?? new Tensor(this, this.#count++, [...shape], dtype, { kind: 'constant', bytes });
    this.#constants.set(key, known);
    return known;
  }
}
