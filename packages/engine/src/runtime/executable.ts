import { availableParallelism } from 'node:os';
import { GyreError } from '@gyre/protocol';
import type * as ort from 'onnxruntime-node';
import type { Backend, DType, Tensor } from '../tensor/graph.js';
import { peakBytes, requireFittingTensors } from './footprint.js';
import { nameOf } from '../tensor/onnx.js';
import { onnxRuntime } from './onnxRuntime.js';
import type { ParameterStore } from './parameters.js';
import { programOf } from '../tensor/program.js';
import { ResidentParameters } from './residentParameters.js';
import { isOutOfMemory, openOrtSession, outOfMemory } from './ortSession.js';
import { sameShape, show, sizeOf, type Shape } from '../tensor/shape.js';

/** bool is a Uint8Array. */
export type Feed = Float32Array | Int32Array | BigInt64Array | Uint8Array | Int8Array;
export type Output = Float32Array | Int32Array | Uint8Array;

export interface CompileOptions {
  /** Threads per operator. Default: all cores. Above two, reductions may round differently. */
  threads?: number;
  /** Lets idle threads spin: faster on an idle machine, much slower on a busy one. Default false. */
  spinning?: boolean;
  backend?: Backend;
  /** Path prefix, written on release. */
  profile?: string;
}

const arrayOf = {
  float32: Float32Array,
  int32: Int32Array,
  int64: BigInt64Array,
  bool: Uint8Array,
  uint8: Uint8Array,
  int8: Int8Array,
} as const;

/**
 * Compiles the outputs' subgraph. Throws 'shape' if the runtime rejects it, 'bad_input' without enough memory,
 * 'missing' without WebGPU.
 */
export async function compile(outputs: Record<string, Tensor>, options: CompileOptions = {}): Promise<Executable> {
  const { threads = availableParallelism(), spinning = false } = options;
  const backend = options.backend ?? Object.values(outputs)[0]?.graph.backend ?? 'cpu';
  const program = programOf(outputs, backend === 'cpu');
  const { nodes, fed, constants } = program;
  requireFittingTensors([...fed, ...constants, ...nodes.flatMap((node) => node.outputs)]);
  const bytes = peakBytes(nodes, constants, Object.values(outputs));
  const session = await openOrtSession(program.write(), {
    backend,
    threads,
    spinning,
    profile: options.profile,
    bytes,
  });
  return new Executable({ session, backend, fed, outputs: program.outputs, bytes });
}

interface CompiledParts {
  readonly session: ort.InferenceSession;
  readonly backend: Backend;
  readonly fed: readonly Tensor[];
  readonly outputs: ReadonlyMap<string, Tensor>;
  readonly bytes: number;
}

/** Holds native memory until released. */
export class Executable {
  readonly backend: Backend;
  /** Inputs that no output depends on are omitted. */
  readonly inputs: readonly { name: string; shape: Shape; dtype: DType }[];
  readonly parameters: readonly { name: string; shape: Shape }[];
  readonly bytes: number;
  readonly #session: ort.InferenceSession;
  readonly #inputs: ReadonlyMap<string, Tensor>;
  readonly #parameters: ReadonlyMap<string, Tensor>;
  readonly #outputs: ReadonlyMap<string, Tensor>;

  readonly #wrapped = new WeakMap<ParameterStore, Readonly<Record<string, ort.Tensor>>>();
  readonly #running = new Set<Promise<unknown>>();
  #released: Promise<void> | undefined;

  constructor({ session, backend, fed, outputs, bytes }: CompiledParts) {
    const ofKind = (kind: 'input' | 'parameter') =>
      new Map(fed.flatMap((tensor) => (tensor.source.kind === kind ? [[tensor.source.name, tensor]] : [])));
    this.backend = backend;
    this.bytes = bytes;
    this.#session = session;
    this.#inputs = ofKind('input');
    this.#parameters = ofKind('parameter');
    this.#outputs = outputs;
    this.inputs = [...this.#inputs].map(([name, { shape, dtype }]) => ({ name, shape, dtype }));
    this.parameters = [...this.#parameters].map(([name, { shape }]) => ({ name, shape }));
  }

  /**
   * Runs the graph. Reads feeds and parameters in place, or copies them to WebGPU unless resident. Throws 'shape' for
   * mismatched tensors, 'bad_input' if an operator fails.
   */
  async run(
    feeds: Readonly<Record<string, Feed>>,
    parameters?: ParameterStore | ResidentParameters,
    into: Readonly<Record<string, Float32Array>> = {},
  ): Promise<Record<string, Output>> {
    if (!(parameters instanceof ResidentParameters)) return this.#run(feeds, parameters, into);
    if (this.backend === 'cpu') return this.#run(feeds, parameters.store, into);
    return parameters.use((resident) => this.#run(feeds, parameters.store, into, resident));
  }

  async #run(
    feeds: Readonly<Record<string, Feed>>,
    parameters: ParameterStore | undefined,
    into: Readonly<Record<string, Float32Array>>,
    resident?: ReadonlyMap<string, ort.Tensor>,
  ): Promise<Record<string, Output>> {
    if (this.#released) {
      throw new GyreError('bad_input', 'the executable has been released', {
        field: 'executable',
        fix: 'run it before releasing it, or compile it again',
      });
    }
    for (const name of Object.keys(into)) {
      if (!this.#outputs.has(name)) throw new GyreError('shape', `the graph has no output ${name}`, { field: name });
    }
    const ortFeeds: Record<string, ort.Tensor> = {};
    for (const [name, tensor] of this.#inputs) ortFeeds[nameOf(tensor)] = wrap('input', name, tensor, feeds[name]);
    Object.assign(ortFeeds, this.#parametersOf(parameters));
    for (const [name, tensor] of this.#parameters) {
      const there = resident?.get(name);
      if (there) ortFeeds[nameOf(tensor)] = there;
    }
    const fetches: Record<string, ort.Tensor | null> = {};
    for (const [name, tensor] of this.#outputs) {
      fetches[nameOf(tensor)] = into[name] ? wrap('output', name, tensor, into[name]) : null;
    }
    const running = this.#session.run(ortFeeds, fetches);
    this.#running.add(running);
    const results = await running
      .catch((cause: unknown) => {
        if (isOutOfMemory(cause)) throw outOfMemory(this.bytes, cause);
        throw new GyreError('bad_input', `the graph failed: ${(cause as Error).message}`, {
          cause,
          fix: 'check that every id is within the range of its table',
        });
      })
      .finally(() => this.#running.delete(running));
    return Object.fromEntries(
      [...this.#outputs].map(([name, tensor]) => [name, into[name] ?? (results[nameOf(tensor)]!.data as Output)]),
    );
  }

  #parametersOf(store: ParameterStore | undefined): Readonly<Record<string, ort.Tensor>> {
    const known = store && this.#wrapped.get(store);
    if (known) return known;
    const wrapped: Record<string, ort.Tensor> = {};
    for (const [name, tensor] of this.#parameters) {
      wrapped[nameOf(tensor)] = wrap('parameter', name, tensor, parameterOf(name, tensor, store));
    }
    if (store) this.#wrapped.set(store, wrapped);
    return wrapped;
  }

  release(): Promise<void> {
    this.#released ??= Promise.allSettled(this.#running).then(() => this.#session.release());
    return this.#released;
  }
}

function parameterOf(name: string, tensor: Tensor, store: ParameterStore | undefined): Float32Array | undefined {
  const spec = store?.specs.find((candidate) => candidate.name === name);
  if (!store || !spec) return undefined;
  if (!sameShape(spec.shape, tensor.shape)) {
    throw new GyreError(
      'shape',
      `parameter ${name} is ${show(tensor.shape)} in the graph and ${show(spec.shape)} in the store`,
      {
        field: name,
      },
    );
  }
  return store.view(name);
}

function wrap(
  kind: 'input' | 'parameter' | 'output',
  name: string,
  { shape, dtype }: Tensor,
  data: Feed | undefined,
): ort.Tensor {
  const size = sizeOf(shape);
  const Wanted = arrayOf[dtype];
  if (!(data instanceof Wanted) || data.length !== size) {
    const got = data === undefined ? 'nothing' : `${data.constructor.name} of ${data.length}`;
    throw new GyreError('shape', `${kind} ${name} ${show(shape)} got ${got}`, {
      field: name,
      fix: `pass a ${Wanted.name} of length ${size}`,
    });
  }
  return new (onnxRuntime().Tensor)(dtype, data, shape);
}
