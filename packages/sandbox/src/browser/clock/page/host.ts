import { classNamed, defineClass, defineGetter, defineMethods, getterOf, methodOf } from './define.js';
import { NativeDate } from './dates.js';
import type { Tasks } from './tasks.js';
import type { Time } from './time.js';

/** Ties delays, file dates and cookie expiry to game time, and hides host properties. */
export function setHost(time: Time, tasks: Tasks): void {
  setWaiting(tasks);
  const network = { downlink: 10, rtt: 50, effectiveType: '4g' };
  const connection = classNamed('NetworkInformation')?.prototype;
  for (const [name, value] of Object.entries(network)) defineGetter(connection, name, () => value);
  defineGetter(Navigator.prototype, 'hardwareConcurrency', () => 4);
  if ('deviceMemory' in Navigator.prototype) defineGetter(Navigator.prototype, 'deviceMemory', () => 8);
  if ('StorageManager' in window) {
    const estimate = methodOf(StorageManager.prototype, 'estimate');
    defineMethods(StorageManager.prototype, {
      async estimate(this: StorageManager) {
        return { ...(await estimate.call(this)), quota: 2 ** 30 };
      },
    });
  }
  setFiles(time);
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')!;
  Object.defineProperty(Document.prototype, 'cookie', {
    ...cookie,
    set(this: Document, text: unknown) {
      const expiry = /(;\s*expires\s*=)([^;]*)/gi;
      cookie.set!.call(
        this,
        String(text).replace(expiry, (whole: string, name: string, value: string) => {
          const ahead = NativeDate.parse(value) - time.date();
          return Number.isNaN(ahead) ? whole : name + new NativeDate(NativeDate.now() + ahead).toUTCString();
        }),
      );
    },
  });
}

interface TaskOptions {
  readonly delay?: number;
  readonly signal?: AbortSignal;
}

function setWaiting(tasks: Tasks): void {
  defineMethods(AbortSignal, {
    timeout(ms: number) {
      const controller = new AbortController();
      tasks.schedule(() => controller.abort(new DOMException('signal timed out', 'TimeoutError')), ms);
      return controller.signal;
    },
  });
  const scheduler = classNamed('Scheduler')?.prototype as
    { readonly postTask: (callback: () => unknown, options: TaskOptions) => Promise<unknown> } | undefined;
  if (scheduler === undefined) return;
  const { postTask } = scheduler;
  defineMethods(scheduler, {
    postTask(this: typeof scheduler, callback: () => unknown, options?: TaskOptions | null) {
      const { delay = 0, signal } = options ?? {};
      if (!(delay > 0)) return postTask.call(this, callback, options ?? {});
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const run = (): void => {
        try {
          resolve(callback());
        } catch (error) {
          reject(error);
        }
      };
      if (signal?.aborted) {
        reject(signal.reason);
        return promise;
      }
      const id = tasks.schedule(run, delay);
      const abort = (): void => {
        tasks.cancel(id);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      return promise;
    },
  });
}

function setFiles(time: Time): void {
  // Without a header it is the current time.
  const lastModified = getterOf(Document.prototype, 'lastModified')!;
  defineGetter(Document.prototype, 'lastModified', function (this: unknown) {
    const native = lastModified.call(this) as string;
    return Math.abs(NativeDate.parse(native) - NativeDate.now()) > 120_000 ? native : written(time.today);
  });
  const NativeFile = File;
  function GameFile(...args: unknown[]): unknown {
    if ((new.target as unknown) !== undefined && args.length >= 2) {
      const options = args[2] as FilePropertyBag | undefined;
      args[2] = { ...options, lastModified: options?.lastModified ?? time.date() };
    }
    return Reflect.construct(NativeFile, args, new.target);
  }
  defineClass(NativeFile, 'File', GameFile);
}

function written(ms: number): string {
  const date = new NativeDate(ms);
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${two(date.getMonth() + 1)}/${two(date.getDate())}/${date.getFullYear()}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
