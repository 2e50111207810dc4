import { programText } from './programText.js';

/** Number of a private OSC sequence. */
export const consoleOsc = 7770;

export type Signal =
  | { readonly type: 'begin' }
  | { readonly type: 'ready'; readonly count: number; readonly exitCode: number; readonly cwd: string }
  | { readonly type: 'more' };

export function consoleCommand(secret: string): {
  program: [string, ...string[]];
  env: Readonly<Record<string, string>>;
} {
  const startup = programText(new URL('./console.sh', import.meta.url));
  return {
    program: ['bash', '-lc', 'exec bash --rcfile <(printf %s "$GYRE_RC") -i'],
    env: { GYRE_RC: startup, GYRE_OSC: `${consoleOsc};${secret}`, PAGER: 'cat', GIT_PAGER: 'cat' },
  };
}

/** Returns undefined without the secret. */
export function signalOf(data: string, secret: string): Signal | undefined {
  const [token, type, count, exitCode, ...cwd] = data.split(';');
  if (token !== secret) return undefined;
  if (type === 'begin' || type === 'more') return { type };
  if (type !== 'ready') return undefined;
  return { type, count: Number(count), exitCode: Number(exitCode), cwd: cwd.join(';') };
}
