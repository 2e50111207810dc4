import type { GyreError } from '@gyre/protocol';
import { hostEnv } from './hostEnv.js';
import { type HostProgram, startOnHost } from './starter.js';

/**
 * The first process inside. No signal from inside ends it. It takes in orphans while it waits for the program that reads
 * its input, starts that again when somebody kills it, and ends, with all that is inside, when the input does.
 */
const keep = 'exec >/dev/null 2>&1; until cat <&0 & wait "$!"; do :; done';
const script = (text: string): readonly string[] => ['bash', '--noprofile', '--norc', '-c', text];

export const keeper = script(`echo standing; ${keep}`);

/** The same, but it does nothing before a line has come: so much has to be done to it from outside. */
export const waitingKeeper = script(
  `command -v env setpriv >/dev/null || { echo "no setpriv (util-linux) inside" >&2; exit 127; }
   echo standing; read -r line; ${keep}`,
);

/** What a program says on one of its descriptors. */
type Sign = readonly [descriptor: 1 | 3, pattern: RegExp];
/** What to throw for what was said last, and the status. */
type Failure = (reason: string, code: number | null) => GyreError;

/** What builds the walls of a session: its input is that of the first process. It may say things on the descriptors 1 to 3. */
export class Builder {
  readonly program: HostProgram;
  readonly #said: string[];
  readonly #looks: Set<() => void>;

  private constructor(program: HostProgram, said: string[], looks: Set<() => void>) {
    this.program = program;
    this.#said = said;
    this.#looks = looks;
  }

  /** Throws `missing` and `infra`. */
  static async start([file = '', ...args]: readonly string[]): Promise<Builder> {
    const said = ['', '', '', ''];
    const looks = new Set<() => void>();
    const onText = (text: string, descriptor: number) => {
      said[descriptor] = ((said[descriptor] ?? '') + text).slice(-longest);
      for (const look of looks) look();
    };
    const outputs = [1, 2, 3];
    const program = await startOnHost({ file, args, env: hostEnv, cwd: '/', input: true, outputs, onText });
    return new Builder(program, said, looks);
  }

  /**
   * Resolves with what it has said as soon as it has said all of these things, in whatever order; then it is heard no longer.
   *
   * @param things each on its descriptor.
   * @param startMs how long it may take.
   * @param failure what to throw when it does not come to that: for what was said last, and the status.
   */
  async standing(things: readonly Sign[], startMs: number, failure: Failure): Promise<RegExpExecArray[]> {
    try {
      return await this.says(things, startMs, failure);
    } finally {
      // Whoever takes over the first process could write there for ever.
      this.program.closeOutputs();
      this.#looks.clear();
    }
  }

  /** The same, and it is heard on. */
  async says(things: readonly Sign[], startMs: number, failure: Failure): Promise<RegExpExecArray[]> {
    const state = { late: false };
    const timer = setTimeout(() => {
      state.late = true;
      this.program.kill();
    }, startMs);
    try {
      const said = Promise.all(things.map(([descriptor, pattern]) => this.#heard(descriptor, pattern)));
      const outcome = await Promise.race([said, this.program.ended]);
      if (Array.isArray(outcome)) return outcome;
      const reason = this.#said[2]!.trim() || (state.late ? `it does not stand after ${startMs} ms` : 'it ends');
      throw failure(reason, outcome);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves as soon as it has said something like this. */
  #heard(descriptor: number, pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve) => {
      const look = () => {
        const found = pattern.exec(this.#said[descriptor]!);
        if (found === null) return;
        this.#looks.delete(look);
        resolve(found);
      };
      this.#looks.add(look);
      look();
    });
  }
}

/** The first process is there. */
export const stands = [1, /standing\n/] as const;

/** What is kept of what it says, in characters. */
const longest = 2_000;
