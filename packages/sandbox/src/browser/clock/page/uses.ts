import { classNamed, define } from './define.js';
import { algorithmName } from './random.js';

/** Reports APIs that escape the clock, once each. */
export function reportUses(usesBinding: string): void {
  const tell = (window as unknown as Readonly<Record<string, ((use: string) => void) | undefined>>)[usesBinding];
  Reflect.deleteProperty(window, usesBinding);
  const reported = new Set<string>();
  const note = (use: string): void => {
    if (reported.has(use)) return;
    reported.add(use);
    tell?.(use);
  };
  for (const name of ['Worker', 'SharedWorker']) noteNew(note, name, 'workers');
  noteCalls(note, classNamed('ServiceWorkerContainer')?.prototype, 'register', 'workers');
  noteCalls(note, classNamed('Worklet')?.prototype, 'addModule', 'worklets');
  for (const name of ['WebSocket', 'EventSource', 'WebTransport', 'RTCPeerConnection']) noteNew(note, name, 'sockets');
  noteNew(note, 'AudioContext', 'media');
  noteCalls(note, HTMLMediaElement.prototype, 'play', 'media');
  const isAsymmetric = (algorithm: unknown): boolean => /^(RSA|EC|ED|X25519|X448|ML-)/.test(algorithmName(algorithm));
  for (const [name, place] of Object.entries({ generateKey: 0, sign: 0, encrypt: 0, wrapKey: 3 })) {
    const prototype = classNamed('SubtleCrypto')?.prototype;
    noteCalls(note, prototype, name, 'asymmetric keys', (...args) => isAsymmetric(args[place]));
  }
  noteCalls(note, URL, 'createObjectURL', 'names of blobs');
  noteCalls(note, Atomics, 'waitAsync', 'Atomics.waitAsync');
}

type Note = (use: string) => void;

function noteCalls(
  note: Note,
  object: object | undefined,
  name: string,
  use: string,
  isUse: (...args: readonly unknown[]) => boolean = () => true,
): void {
  const native = (object as Readonly<Record<string, unknown>> | undefined)?.[name];
  if (typeof native !== 'function') return;
  const methods = {
    [name](this: unknown, ...args: readonly unknown[]): unknown {
      if (isUse(...args)) note(use);
      return native.apply(this, args);
    },
  };
  define(object, name, methods[name]);
}

function noteNew(note: Note, name: string, use: string): void {
  const native = classNamed(name);
  if (native === undefined) return;
  const noted = new Proxy(native, {
    construct(target, args, newTarget) {
      note(use);
      return Reflect.construct(target as typeof Object, args, newTarget) as object;
    },
  });
  define(window, name, noted);
}
