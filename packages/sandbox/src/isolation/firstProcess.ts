import type { GyreError } from '@gyre/protocol';
import { hostEnv } from './hostEnv.js';
import { type HostProgram, startOnHost } from './starter.js';

/**
 * The first process, immune to signals from inside. It reaps orphans, restarts a killed `cat`, and ends, with
 * everything inside, at end of input.
 */
const keep = 'exec >/dev/null 2>&1; until cat <&0 & wait "$!"; do :; done';
const script = (text: string): readonly string[] => ['bash', '--noprofile', '--norc', '-c', text];

export const initCommand = script(`echo standing; ${keep}`);

/** Waits for setup from outside. */
export const waitingInitCommand = script(
  `command -v env setpriv >/dev/null || { echo "no setpriv (util-linux) inside" >&2; exit 127; }
   echo standing; read -r line; ${keep}`,
);

type Sign = readonly [descriptor: 1 | 3, pattern: RegExp];
type Failure = (reason: string, code: number | null) => GyreError;

/** Builds the namespaces. Its input is the first process's. */
export class NamespaceBuilder {
  readonly program: HostProgram;
  readonly #texts: string[];
  readonly #looks: Set<() => void>;

  private constructor(program: HostProgram, texts: string[], looks: Set<() => void>) {
    this.program = program;
    this.#texts = texts;
    this.#looks = looks;
  }

  static async start([file = '', ...args]: readonly string[]): Promise<NamespaceBuilder> {
    const texts = ['', '', '', ''];
    const looks = new Set<() => void>();
    const onText = (text: string, descriptor: number) => {
      texts[descriptor] = ((texts[descriptor] ?? '') + text).slice(-longest);
      for (const look of looks) look();
    };
    const outputs = [1, 2, 3];
    const program = await startOnHost({ file, args, env: hostEnv, cwd: '/', input: true, outputs, onText });
    return new NamespaceBuilder(program, texts, looks);
  }

  /** Waits for the output in any order, then stops reading. */
  async waitUntilReady(signs: readonly Sign[], startMs: number, failure: Failure): Promise<RegExpExecArray[]> {
    try {
      return await this.waitForOutput(signs, startMs, failure);
    } finally {
      // A hijacked first process could write there without end.
      this.program.closeOutputs();
      this.#looks.clear();
    }
  }

  async waitForOutput(signs: readonly Sign[], startMs: number, failure: Failure): Promise<RegExpExecArray[]> {
    const state = { late: false };
    const timer = setTimeout(() => {
      state.late = true;
      this.program.kill();
    }, startMs);
    try {
      const matches = Promise.all(signs.map(([descriptor, pattern]) => this.#match(descriptor, pattern)));
      const outcome = await Promise.race([matches, this.program.ended]);
      if (Array.isArray(outcome)) return outcome;
      const reason = this.#texts[2]!.trim() || (state.late ? `it did not start within ${startMs} ms` : 'it exited');
      throw failure(reason, outcome);
    } finally {
      clearTimeout(timer);
    }
  }

  #match(descriptor: number, pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve) => {
      const look = () => {
        const match = pattern.exec(this.#texts[descriptor]!);
        if (match === null) return;
        this.#looks.delete(look);
        resolve(match);
      };
      this.#looks.add(look);
      look();
    });
  }
}

export const readySignal = [1, /standing\n/] as const;

const longest = 2_000;
