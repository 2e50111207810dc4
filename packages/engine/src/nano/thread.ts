import { Worker } from 'node:worker_threads';
import { GyreError } from '@gyre/protocol';
import type {
  Datum,
  Engine,
  ForwardBackward,
  ForwardBackwardRequest,
  OptimStep,
  Part,
  SampleRequest,
  Sampled,
  Screenshot,
  VersionedForward,
} from './engine.js';
import type { NativeOptions } from './native.js';
import type { Reply, Request } from './worker.js';

/**
 * A native engine in a thread of its own: environments go on while it computes. Its calls have the same order. If the thread
 * dies, calls under way and later ones fail with 'bug': it runs in this process, and nothing outside can end it.
 */
export class EngineThread implements Engine {
  private readonly pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  private next = 0;
  private dead: Error | undefined;

  /** @param worker runs `worker.js`. `start` makes one. */
  constructor(private readonly worker: Worker) {
    worker.on('message', (reply: Reply) => {
      const waiting = this.pending.get(reply.id);
      this.pending.delete(reply.id);
      if (!waiting) return;
      if (reply.ok) waiting.resolve(reply.value);
      else waiting.reject(GyreError.revive(reply.error.code, reply.error.message, reply.error.detail));
    });
    const fix = 'start another, and load the last checkpoint';
    const died = (error: Error) => {
      this.fail(new GyreError('bug', `the engine thread died: ${error.message}`, { fix, cause: error }));
    };
    worker.on('error', died);
    // An answer that cannot be read would be waited for in vain.
    worker.on('messageerror', died);
    worker.on('exit', () => {
      this.fail(new GyreError('bug', 'the engine thread has ended', { fix }));
    });
  }

  /** Throws what `NativeEngine.ready` throws. */
  static async start(options: NativeOptions): Promise<EngineThread> {
    const thread = new EngineThread(new Worker(new URL('./worker.js', import.meta.url), { workerData: options }));
    try {
      await thread.call('ready');
    } catch (error) {
      // It would keep the process alive.
      await thread.worker.terminate();
      throw error;
    }
    return thread;
  }

  sample(requests: readonly SampleRequest[]): Promise<Sampled[]> {
    return this.call('sample', requests);
  }

  forward(data: readonly Datum[]): Promise<VersionedForward> {
    return this.call('forward', data);
  }

  forwardBackward(request: ForwardBackwardRequest): Promise<ForwardBackward> {
    return this.call('forwardBackward', request);
  }

  optimStep(options: { learningRate: number; part?: Part }): Promise<OptimStep> {
    return this.call('optimStep', options);
  }

  readGlyphs(screenshots: readonly Screenshot[]): Promise<Float32Array[]> {
    return this.call('readGlyphs', screenshots);
  }

  save(path: string): Promise<void> {
    return this.call('save', path);
  }

  load(path: string, options?: { optimiser?: boolean }): Promise<{ policyVersion: number }> {
    return this.call('load', path, options);
  }

  async close(): Promise<void> {
    if (this.dead) return;
    await this.call('close');
    await this.worker.terminate();
  }

  private call<T>(method: Request['method'], ...args: unknown[]): Promise<T> {
    if (this.dead) return Promise.reject(this.dead);
    const id = this.next++;
    return new Promise<T>((resolve, reject) => {
      this.pending.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.worker.postMessage({ id, method, args } satisfies Request);
    });
  }

  private fail(error: Error): void {
    this.dead ??= error;
    for (const { reject } of this.pending.values()) reject(this.dead);
    this.pending.clear();
  }
}
