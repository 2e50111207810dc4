import type * as ort from 'onnxruntime-node';
import { stopGradient } from '../tensor/elementwise.js';
import { ancestors } from '../tensor/gradients.js';
import { Graph } from '../tensor/graph.js';
import { nameOf, writeModel } from '../tensor/onnx.js';
import { onnxRuntime } from './onnxRuntime.js';
import type { ParameterStore } from './parameters.js';
import { openOrtSession, outOfMemory } from './ortSession.js';

interface Copy {
  readonly tensors: Promise<ReadonlyMap<string, ort.Tensor>>;
  users: number;
  stale: boolean;
}

/** Holds a store's parameters in WebGPU memory until released. Call `changed` after updating the store. */
export class ResidentParameters {
  #copy: Copy | undefined;
  #across: Promise<DeviceUpload> | undefined;

  constructor(readonly store: ParameterStore) {}

  async use<T>(work: (tensors: ReadonlyMap<string, ort.Tensor>) => Promise<T>): Promise<T> {
    this.#across ??= DeviceUpload.open(this.store);
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

  changed(): void {
    const old = this.#copy;
    this.#copy = undefined;
    if (!old) return;
    old.stale = true;
    tidy(old);
  }

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
    // Already reported to its users.
    () => undefined,
  );
}

/** Uploads its feeds: the runtime has no other way to move a tensor to the device. */
class DeviceUpload {
  readonly #session: ort.InferenceSession;
  readonly #store: ParameterStore;
  readonly #names: readonly { parameter: string; shape: readonly number[]; input: string; output: string }[];

  private constructor(
    session: ort.InferenceSession,
    store: ParameterStore,
    names: readonly { parameter: string; shape: readonly number[]; input: string; output: string }[],
  ) {
    this.#session = session;
    this.#store = store;
    this.#names = names;
  }

  static async open(store: ParameterStore): Promise<DeviceUpload> {
    const graph = new Graph({ backend: 'webgpu' });
    const inputs = store.specs.map(({ name, shape }) => graph.parameter(name, shape));
    const outputs = inputs.map((tensor) => stopGradient(tensor));
    const model = writeModel({ nodes: ancestors(...outputs), inputs, outputs });
    const bytes = store.size * Float32Array.BYTES_PER_ELEMENT;
    const session = await openOrtSession(model, { backend: 'webgpu', threads: 1, onDevice: true, bytes });
    const names = store.specs.map(({ name, shape }, i) => ({
      parameter: name,
      shape,
      input: nameOf(inputs[i]!),
      output: nameOf(outputs[i]!),
    }));
    return new DeviceUpload(session, store, names);
  }

  async carry(): Promise<ReadonlyMap<string, ort.Tensor>> {
    const session = this.#session;
    const store = this.#store;
    const names = this.#names;
    const feeds = names.map(
      ({ parameter, shape, input }) =>
        [input, new (onnxRuntime().Tensor)('float32', store.view(parameter), shape)] as const,
    );
    const results = await session.run(Object.fromEntries(feeds)).catch((cause: unknown) => {
      throw outOfMemory(store.size * Float32Array.BYTES_PER_ELEMENT, cause);
    });
    return new Map(names.map(({ parameter, output }) => [parameter, results[output]!]));
  }

  release(): Promise<void> {
    return this.#session.release();
  }
}
