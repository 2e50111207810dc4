import { Worker } from 'node:worker_threads';
import { GyreError } from '@gyre/protocol';
import type {
  NativeDatum,
  NativeEngine,
  NativeForwardBackward,
  NativeLearningRequest,
  NativeOptimStep,
  TrainablePart,
  NativeSampleRequest,
  NativeSampled,
  Screenshot,
  NativeForward,
} from './nativeEngine.js';
import type { NativeEngineOptions } from './embeddedEngine.js';
import type { Reply, Request } from './engineWorker.js';

/** If the thread dies, pending and later calls fail with 'bug'. */
export class EngineThread implements NativeEngine {
  readonly #worker: Worker;

  readonly #pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #next = 0;
  #dead: Error | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;

    worker.on('message', (reply: Reply) => {
      const waiting = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if (!waiting) return;
      if (reply.ok) waiting.resolve(reply.value);
      else waiting.reject(GyreError.revive(reply.error.code, reply.error.message, reply.error.detail));
    });
    const fix = 'start a new engine and load the last checkpoint';
    const died = (error: Error) => {
      this.#fail(new GyreError('bug', `the engine thread crashed: ${error.message}`, { fix, cause: error }));
    };
    worker.on('error', died);
    // An unreadable answer would be awaited forever.
    worker.on('messageerror', died);
    worker.on('exit', () => {
      this.#fail(new GyreError('bug', 'the engine thread has exited', { fix }));
    });
  }

  static async start(options: NativeEngineOptions): Promise<EngineThread> {
    const thread = new EngineThread(new Worker(new URL('./engineWorker.js', import.meta.url), { workerData: options }));
    try {
      await thread.#call('ready');
    } catch (error) {
      await thread.#worker.terminate();
      throw error;
    }
    return thread;
  }

  sample(requests: readonly NativeSampleRequest[]): Promise<NativeSampled[]> {
    return this.#call('sample', requests);
  }

  forward(data: readonly NativeDatum[]): Promise<NativeForward> {
    return this.#call('forward', data);
  }

  forwardBackward(request: NativeLearningRequest): Promise<NativeForwardBackward> {
    return this.#call('forwardBackward', request);
  }

  optimStep(options: { learningRate: number; part?: TrainablePart }): Promise<NativeOptimStep> {
    return this.#call('optimStep', options);
  }

  readGlyphs(screenshots: readonly Screenshot[]): Promise<Float32Array[]> {
    return this.#call('readGlyphs', screenshots);
  }

  save(path: string): Promise<void> {
    return this.#call('save', path);
  }

  load(path: string, options?: { optimiser?: boolean }): Promise<{ policyVersion: number }> {
    return this.#call('load', path, options);
  }

  async close(): Promise<void> {
    if (this.#dead) return;
    await this.#call('close');
    await this.#worker.terminate();
  }

  #call<T>(method: Request['method'], ...args: unknown[]): Promise<T> {
    if (this.#dead) return Promise.reject(this.#dead);
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#worker.postMessage({ id, method, args } satisfies Request);
    });
  }

  #fail(error: Error): void {
    this.#dead ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#dead);
    this.#pending.clear();
  }
}
