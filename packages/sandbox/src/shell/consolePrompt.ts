import { programText } from './programText.js';

/** Number of the private escape sequence (OSC) by which a console's prompt speaks. */
export const consoleOsc = 7770;

/** A signal of a console's prompt. */
export type Signal =
  /** A command begins. */
  | { readonly type: 'begin' }
  /** Bash waits for a command, for the `count`th time. */
  | { readonly type: 'ready'; readonly count: number; readonly exitCode: number; readonly cwd: string }
  /** Bash waits for more of a command. */
  | { readonly type: 'more' };

/** Returns a bash that tells when a command begins and has ended. */
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

/** Reads a private escape sequence; undefined for one that does not know the secret. */
export function signalOf(data: string, secret: string): Signal | undefined {
  const [said, type, count, exitCode, ...cwd] = data.split(';');
  if (said !== secret) return undefined;
  if (type === 'begin' || type === 'more') return { type };
  if (type !== 'ready') return undefined;
  return { type, count: Number(count), exitCode: Number(exitCode), cwd: cwd.join(';') };
}
