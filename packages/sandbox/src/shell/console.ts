import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { checkedNumber, longestMs } from '../checkedNumber.js';
import type { IMarker } from '@xterm/headless';
import type { Origin } from './child.js';
import { consoleCommand, consoleOsc, signalOf } from './consolePrompt.js';
import { shortened, type Shortened } from './shortened.js';
import { textBetween, type Place, type TerminalScreen } from './screen.js';
import { Terminal, type TerminalOptions } from './terminal.js';

export interface ExecuteOptions {
  /** How long to wait for the end; the command then goes on. Default 30 s. */
  readonly timeoutMs?: number;
  /** Do not wait any longer once nothing was written for so long: the command may want input. Default: wait on. */
  readonly quietMs?: number;
  /** Characters kept of the output: the first half and the last. Default 64 Ki. */
  readonly maxOutput?: number;
}

/** The options of a console's terminal: larger than usual, and with a longer memory. */
export const consoleOptions = (options: TerminalOptions): TerminalOptions => ({
  size: { columns: 120, rows: 40 },
  scrollback: 10_000,
  ...options,
});

/** What came of a command so far. */
export interface Executed {
  /** What it wrote, as the terminal shows it: without colours, with overwritten progress bars in their last state. */
  readonly output: string;
  /** Does `output` leave lines out in the middle? */
  readonly truncated: boolean;
  /** It has not ended: look at the screen, write to the terminal, wait or interrupt. */
  readonly running: boolean;
  /** Of the command, once it has ended; absent where the shell itself was ended by a signal. */
  readonly exitCode?: number;
  /** Where the console stands; while a command runs, where it was started. */
  readonly cwd: string;
  readonly screen: TerminalScreen;
}

/** A place that moves up as the screen scrolls; its row is gone when it leaves the scrollback. */
interface Mark {
  readonly row: IMarker | undefined;
  readonly column: number;
}

/** A command on its way. */
interface Execution {
  readonly options: ExecuteOptions;
  /** What the console had counted when it was sent. */
  readonly count: number;
  /** Where its prompt stands, and how many lines were pasted there. */
  readonly prompt: Mark;
  readonly pasted: number;
  /** Where its output begins. */
  begin?: Mark;
  /** The first part of a long output, kept before it is scrolled away, and where it ends. */
  head?: { readonly text: string; readonly end: IMarker | undefined };
  /** Lines fed since it began. */
  lines: number;
  incomplete: boolean;
  done?: { readonly output: Shortened; readonly exitCode: number };
}

/** Rows after which the head of an output is put aside. Fewer than the scrollback. */
const headRows = 2_000;

/**
 * A bash on a terminal that keeps directory, variables and functions between commands, and whose commands are seen to
 * begin and end. Its prompt carries private escape sequences with a secret of their own, so that no output is mistaken for
 * the end. A command that replaces bash (`exec zsh`) or talks to another (`ssh host`) does not end for it: interrupt or
 * close it.
 */
export class Console {
  readonly terminal: Terminal;
  #cwd = '';
  #prompt: Mark = { row: undefined, column: 0 };
  #count = 0;
  #execution: Execution | undefined;
  readonly #changed = new Set<() => void>();

  private constructor(terminal: Terminal, secret: string) {
    this.terminal = terminal;
    terminal.emulator.parser.registerOscHandler(consoleOsc, (data) => this.#hear(data, secret));
    terminal.emulator.onLineFeed(() => this.#feed());
    terminal.emulator.onWriteParsed(() => this.#notify());
    void terminal.ended.then(() => this.#notify());
  }

  /** Starts bash. Throws `infra` where it shows no prompt in time. */
  static async start(id: string, origin: Origin, options: TerminalOptions = {}): Promise<Console> {
    const secret = randomUUID();
    const { program, env } = consoleCommand(secret);
    const terminal = await Terminal.start(id, origin, program, {
      ...consoleOptions(options),
      env: { ...env, ...options.env },
    });
    const started = new Console(terminal, secret);
    const deadline = performance.now() + 15_000;
    while (started.#count === 0) {
      const left = deadline - performance.now();
      if (left <= 0 || terminal.ending !== undefined) {
        const { lines } = await terminal.screen();
        await terminal.close();
        const cause = lines.filter((line) => line !== '').join('\n');
        throw new GyreError('infra', 'bash showed no prompt', {
          part: 'shell',
          fix: 'see that bash 4.4 or later is installed',
          cause,
        });
      }
      await started.#change(left);
    }
    return started;
  }

  /** Is a command on its way? */
  get running(): boolean {
    return this.#execution !== undefined && this.#execution.done === undefined;
  }

  /**
   * Executes a command, of any number of lines. Resolves when it has ended, or with `running` when it has not in time.
   * Throws `bad_input` while another runs, and for a command that is not complete; then nothing of it was executed.
   */
  async execute(command: string, options: ExecuteOptions = {}): Promise<Executed> {
    if (this.running) {
      throw new GyreError('bad_input', `a command still runs in ${this.terminal.id}`, {
        field: 'command',
        fix: 'wait for it, write to it, interrupt it, or use another console',
      });
    }
    if (command.trim() === '' || command.length > 2 ** 16) {
      throw new GyreError('bad_input', `a command of ${command.length} characters`, {
        field: 'command',
        fix: 'give a command of at most 65536 characters; write a longer one into a file',
      });
    }
    if (!this.terminal.emulator.modes.bracketedPasteMode && /[\n\t]/.test(command.trim())) {
      throw new GyreError('bad_input', 'bash does not take several lines at once: bracketed paste is off', {
        field: 'command',
        fix: "execute bind 'set enable-bracketed-paste on'",
      });
    }
    const prompt = this.#prompt;
    const pasted = command.trim().split('\n').length;
    const execution: Execution = { options, count: this.#count, prompt, pasted, lines: 0, incomplete: false };
    this.terminal.paste(command.trim());
    this.#execution = execution;
    this.terminal.press('enter');
    return this.#outcome(execution, options);
  }

  /** Waits on for a command that runs. Throws `bad_input` where none was executed. */
  async wait(options: Pick<ExecuteOptions, 'timeoutMs' | 'quietMs'> = {}): Promise<Executed> {
    if (this.#execution === undefined) {
      throw new GyreError('bad_input', `nothing runs in ${this.terminal.id}`, { fix: 'execute a command first' });
    }
    return this.#outcome(this.#execution, options);
  }

  /** Presses ctrl-C and waits for the end: 5 s, unless said otherwise. A command may go on all the same. */
  async interrupt({ timeoutMs = 5_000 }: { timeoutMs?: number } = {}): Promise<Executed> {
    this.terminal.press('ctrl c');
    return this.wait({ timeoutMs });
  }

  /** Ends bash and everything that it started. */
  close(): Promise<void> {
    return this.terminal.close();
  }

  async #outcome(
    execution: Execution,
    { timeoutMs = 30_000, quietMs }: Pick<ExecuteOptions, 'timeoutMs' | 'quietMs'>,
  ): Promise<Executed> {
    checkedNumber('timeoutMs', timeoutMs, { least: 0, most: longestMs });
    if (quietMs !== undefined) checkedNumber('quietMs', quietMs, { least: 0, most: longestMs });
    const deadline = performance.now() + timeoutMs;
    for (let quiet = false; ;) {
      const { done } = execution;
      const { ending } = this.terminal;
      const left = deadline - performance.now();
      if (execution.incomplete && (done !== undefined || ending !== undefined)) {
        throw new GyreError('bad_input', 'the command is not complete', {
          field: 'command',
          fix: 'close its quotes, brackets and here-documents',
        });
      }
      if (done !== undefined || ending !== undefined || left <= 0 || quiet) return this.#executed(execution);
      quiet = !(await this.#change(Math.min(left, quietMs ?? left)));
    }
  }

  async #executed(execution: Execution): Promise<Executed> {
    const screen = await this.terminal.screen();
    // It may have ended while the screen was read.
    const { ending } = this.terminal;
    const exitCode = execution.done?.exitCode ?? ending?.exitCode;
    const output = execution.done?.output ?? this.#output(execution);
    return {
      output: output.text,
      truncated: output.truncated,
      running: execution.done === undefined && ending === undefined,
      ...(exitCode === undefined ? {} : { exitCode }),
      cwd: this.#cwd,
      screen,
    };
  }

  /** Takes what the prompt says: a command begins, bash is ready for one, or wants more of it. */
  #hear(data: string, secret: string): boolean {
    const signal = signalOf(data, secret);
    const execution = this.running ? this.#execution : undefined;
    if (signal === undefined) return true;
    if (signal.type === 'begin' && execution !== undefined) {
      execution.begin ??= this.#mark();
    }
    if (signal.type === 'more' && execution !== undefined && !execution.incomplete) {
      execution.incomplete = true;
      // Where the terminal was closed meanwhile, whoever waits hears of that.
      this.#abandon(execution).catch(() => undefined);
    }
    if (signal.type === 'ready') {
      const before = this.#prompt;
      this.#prompt = this.#mark();
      this.#cwd = signal.cwd;
      this.#count = signal.count;
      // A prompt that is drawn again, after a resize, tells nothing new.
      if (execution !== undefined && signal.count > execution.count) {
        execution.done = { output: this.#output(execution), exitCode: signal.exitCode };
      }
      // Every mark is moved with every line that scrolls: none is kept that is not needed.
      if (!this.running) for (const row of [before.row, execution?.begin?.row, execution?.head?.end]) row?.dispose();
    }
    return true;
  }

  /** Presses ctrl-C until bash has heard it: what comes just before it begins to read is shown and then lost. */
  async #abandon(execution: Execution): Promise<void> {
    for (let ms = 250; execution.done === undefined && this.terminal.ending === undefined; ms *= 2) {
      this.terminal.press('ctrl c');
      await pause(ms, undefined, { ref: false });
    }
  }

  #feed(): void {
    const execution = this.running ? this.#execution : undefined;
    if (execution?.begin === undefined) return;
    execution.lines += 1;
    if (execution.lines !== headRows) return;
    const { emulator } = this.terminal;
    execution.head = { text: this.#from(execution.begin), end: emulator.registerMarker(0) };
  }

  /** What a command has written so far. */
  #output(execution: Execution): Shortened {
    const { begin, head, lines, options } = execution;
    const cap = options.maxOutput ?? 2 ** 16;
    if (begin === undefined) {
      // What cannot be parsed never begins; the message stands below the command.
      const text = this.#from(execution.prompt);
      return shortened({ head: text.split('\n').slice(execution.pasted).join('\n'), cap });
    }
    if (head === undefined) return shortened({ head: this.#from(begin), cap });
    const rest = this.#from({ row: head.end, column: 0 });
    const gone = head.end === undefined || head.end.isDisposed;
    return shortened(gone ? { head: head.text, tail: rest, lines, cap } : { head: head.text + rest, cap });
  }

  /** From a place to the cursor; all that is left where the place is gone. */
  #from({ row, column }: Mark): string {
    const { active, normal } = this.terminal.emulator.buffer;
    const kept = row !== undefined && !row.isDisposed && active.type === 'normal';
    return textBetween(
      active.type === 'normal' ? normal : active,
      kept ? { row: row.line, column } : { row: 0, column: 0 },
      this.#cursor,
    );
  }

  get #cursor(): Place {
    const buffer = this.terminal.emulator.buffer.active;
    return { row: buffer.baseY + buffer.cursorY, column: buffer.cursorX };
  }

  #mark(): Mark {
    return { row: this.terminal.emulator.registerMarker(0), column: this.#cursor.column };
  }

  #notify(): void {
    for (const listener of [...this.#changed]) listener();
  }

  /** Resolves with true at the next change of the screen, with false after `ms`. */
  #change(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (changed: boolean): void => {
        clearTimeout(timer);
        this.#changed.delete(listener);
        resolve(changed);
      };
      const listener = (): void => done(true);
      const timer = setTimeout(() => done(false), ms);
      this.#changed.add(listener);
    });
  }
}
