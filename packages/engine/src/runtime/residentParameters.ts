import type * as ort from 'onnxruntime-node';
import { stopGradient } from '../tensor/elementwise.js';
import { ancestors } from '../tensor/gradients.js';
import { Graph } from '../tensor/graph.js';
import { nameOf, writeModel } from '../tensor/onnx.js';
import { onnxRuntime } from './onnxRuntime.js';
import type { ParameterStore } from './parameters.js';
import { openSession, outOfMemory } from './session.js';

/** Parameters as they were at some time, by name. */
interface Copy {
  readonly tensors: Promise<ReadonlyMap<string, ort.Tensor>>;
  /** Runs that read it. */
  users: number;
  stale: boolean;
}

/**
 * The parameters of a store on the WebGPU device, for all executables: they cross over when they have changed, and not with
 * every run. Who changes the store says so by `changed`. It holds memory of the device: release it.
 */
export class ResidentParameters {
  #copy: Copy | undefined;
  #across: Promise<Across> | undefined;

  constructor(readonly store: ParameterStore) {}

  /** Works with the parameters on the device, which stay until the work is done. Throws what `compile` and the work throw. */
  async use<T>(work: (tensors: ReadonlyMap<string, ort.Tensor>) => Promise<T>): Promise<T> {
    this.#across ??= Across.open(this.store);
    this.#copy ??= { tensors: this.#across.then((across) => across.carry()), users: 0, stale: false };
    const copy = this.#copy;
    copy.users++;
    try {
      return await work(await copy.tensors);
    } finally {
      copy.users--;
      tidy(copy);
    }
  }

  /** The store holds other values now: what runs from here on reads them. */
  changed(): void {
    const old = this.#copy;
    this.#copy = undefined;
    if (!old) return;
    old.stale = true;
    tidy(old);
  }

  /** Frees the memory of the device, after the runs that are under way. */
  async release(): Promise<void> {
    this.changed();
    const across = this.#across;
    this.#across = undefined;
    await across?.then((opened) => opened.release()).catch(() => undefined);
  }
}

function tidy({ stale, users, tensors }: Copy): void {
  if (!stale || users > 0) return;
  tensors.then(
    (all) => {
      for (const tensor of all.values()) tensor.dispose();
    },
    // Who asked for what could not be copied has been told.
    () => undefined,
  );
}

/** A graph that gives back what it is fed with, on the device: the runtime has no other way to bring a tensor there. */
class Across {
  private constructor(
    private readonly session: ort.InferenceSession,
    private readonly store: ParameterStore,
    private readonly names: readonly { own: string; shape: readonly number[]; input: string; output: string }[],
  ) {}

  static async open(store: ParameterStore): Promise<Across> {
    const graph = new Graph({ backend: 'webgpu' });
    const inputs = store.specs.map(({ name, shape }) => graph.parameter(name, shape));
    const outputs = inputs.map((tensor) => stopGradient(tensor));
    const model = writeModel(ancestors(...outputs), inputs, [], outputs);
    const bytes = store.size * Float32Array.BYTES_PER_ELEMENT;
    const session = await openSession(model, { backend: 'webgpu', threads: 1, onDevice: true, bytes });
    const names = store.specs.map(({ name, shape }, i) => ({
      own: name,
      shape,
      input: nameOf(inputs[i]!),
      output: nameOf(outputs[i]!),
    }));
    return new Across(session, store, names);
  }

  async carry(): Promise<ReadonlyMap<string, ort.Tensor>> {
    const { session, store, names } = this;
    const feeds = names.map(
      ({ own, shape, input }) => [input, new (onnxRuntime().Tensor)('float32', store.view(own), shape)] as const,
    );
    const made = await session.run(Object.fromEntries(feeds)).catch((cause: unknown) => {
      throw outOfMemory(store.size * Float32Array.BYTES_PER_ELEMENT, cause);
    });
    return new Map(names.map(({ own, output }) => [own, made[output]!]));
  }

  release(): Promise<void> {
    return this.session.release();
  }
}
