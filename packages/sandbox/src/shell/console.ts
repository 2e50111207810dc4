import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { checkedNumber, maxTimerMs } from '../checkedNumber.js';
import type { IMarker } from '@xterm/headless';
import type { Origin } from './child.js';
import { consoleCommand, consoleOsc, signalOf } from './consolePrompt.js';
import { shortenText, type Shortened } from './shortened.js';
import { textBetween, type Place, type TerminalScreen } from './screen.js';
import { Terminal, type TerminalOptions } from './terminal.js';

export interface ExecuteOptions {
  /** Time to wait; the command then continues. Default 30 s. */
  readonly timeoutMs?: number;
  /** Returns after this silence, when the command may want input. Default: never. */
  readonly quietMs?: number;
  /** Like `quietMs`, if it seems to prompt: it has written, and a full screen shows or the cursor is behind text. */
  readonly promptMs?: number;
  /** Characters, half from each end. Default 64 Ki. */
  readonly maxOutput?: number;
}

export type WaitOptions = Pick<ExecuteOptions, 'timeoutMs' | 'quietMs' | 'promptMs'>;

export const consoleOptions = (options: TerminalOptions): TerminalOptions => ({
  size: { columns: 120, rows: 40 },
  scrollback: 10_000,
  ...options,
});

export interface ConsoleResult {
  /** As the terminal shows it: no colours, progress bars in their last state, full screens as they are. */
  readonly output: string;
  /** New part of `output`; all of it if earlier output was overwritten. */
  readonly fresh: string;
  readonly truncated: boolean;
  /** If so: look at the screen, write to the terminal, wait or interrupt. */
  readonly running: boolean;
  /** Absent while running, or if a signal ended the shell. */
  readonly exitCode?: number;
  /** While a command runs, the directory it was started in. */
  readonly cwd: string;
  readonly screen: TerminalScreen;
}

/** Scrolls with the screen; the row is gone once it leaves the scrollback. */
interface Mark {
  readonly row: IMarker | undefined;
  readonly column: number;
}

interface Execution {
  readonly options: ExecuteOptions;
  /** The console's count when the command was sent. */
  readonly count: number;
  /** `pasted` lines follow it. */
  readonly prompt: Mark;
  readonly pasted: number;
  begin?: Mark;
  /** Saved before it scrolls away. */
  head?: { readonly text: string; readonly end: IMarker | undefined };
  lines: number;
  incomplete: boolean;
  seen: string;
  /** Whether it survived ctrl-C, with nothing typed since. */
  resists: boolean;
  read: boolean;
  done?: { readonly output: Shortened; readonly exitCode: number };
}

/** Rows after which the head is saved; fewer than the scrollback. */
const headRows = 2_000;

/**
 * A bash on a terminal; directory, variables and functions persist. Its prompt marks commands by private escape
 * sequences with a secret, so that no output can fake their end. A command that replaces bash (`exec zsh`) or wraps
 * another (`ssh host`) never seems to end: interrupt or close it.
 */
export class ShellConsole {
  readonly terminal: Terminal;
  #cwd = '';
  #prompt: Mark = { row: undefined, column: 0 };
  #count = 0;
  #execution: Execution | undefined;
  /** Bash may still read what was typed to the last command. */
  #typed = false;
  readonly #changed = new Set<() => void>();

  private constructor(terminal: Terminal, secret: string) {
    this.terminal = terminal;
    terminal.emulator.parser.registerOscHandler(consoleOsc, (data) => this.#hear(data, secret));
    terminal.emulator.onLineFeed(() => this.#feed());
    terminal.emulator.onWriteParsed(() => this.#notify());
    void terminal.ended.then(() => this.#notify());
  }

  /** Throws `infra` without a prompt. */
  static async start(id: string, origin: Origin, options: TerminalOptions = {}): Promise<ShellConsole> {
    const secret = randomUUID();
    const { program, env } = consoleCommand(secret);
    const terminal = await Terminal.start(id, origin, program, {
      ...consoleOptions(options),
      env: { ...env, ...options.env },
    });
    const started = new ShellConsole(terminal, secret);
    const deadline = performance.now() + 15_000;
    while (started.#count === 0) {
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0 || terminal.ending !== undefined) {
        const { lines } = await terminal.screen();
        await terminal.close();
        const cause = lines.filter((line) => line !== '').join('\n');
        throw new GyreError('infra', 'bash showed no prompt', {
          part: 'shell',
          fix: 'check that bash 4.4 or later is installed',
          cause,
        });
      }
      await started.#change(remainingMs);
    }
    return started;
  }

  get running(): boolean {
    return this.#execution !== undefined && this.#execution.done === undefined;
  }

  /**
   * Executes a command of any number of lines; returns at its end, or as `running`. Throws `bad_input` while another
   * runs, and for an incomplete command, of which nothing is executed.
   */
  async execute(command: string, options: ExecuteOptions = {}): Promise<ConsoleResult> {
    if (this.running) {
      throw new GyreError('bad_input', `a command is still running in ${this.terminal.id}`, {
        field: 'command',
        fix: 'wait for it, write to it, interrupt it, or use another console',
      });
    }
    if (command.trim() === '' || command.length > 2 ** 16) {
      throw new GyreError('bad_input', `the command has ${command.length} characters`, {
        field: 'command',
        fix: 'use at most 65536 characters; write a longer command to a file',
      });
    }
    if (!this.terminal.emulator.modes.bracketedPasteMode && /[\n\t]/.test(command.trim())) {
      throw new GyreError('bad_input', 'bash does not accept several lines at once: bracketed paste is off', {
        field: 'command',
        fix: "execute bind 'set enable-bracketed-paste on'",
      });
    }
    const pasted = command.trim().split('\n').length;
    const execution: Execution = {
      options,
      count: this.#count,
      prompt: this.#prompt,
      pasted,
      lines: 0,
      incomplete: false,
      seen: '',
      resists: false,
      read: false,
    };
    // A key that ended the last command may have come twice, leaving text at the prompt.
    if (this.#typed) this.terminal.press('ctrl u');
    this.#typed = false;
    this.terminal.paste(command.trim());
    this.#execution = execution;
    this.terminal.press('enter');
    return this.#outcome(execution, options);
  }

  /** Throws `bad_input` if there was no command. */
  async wait(options: WaitOptions = {}): Promise<ConsoleResult> {
    return this.#outcome(this.#last, options);
  }

  /**
   * Types a line into the running command, and waits. On a full screen, a single character is a key and gets no enter.
   * Throws `bad_input` if nothing runs.
   */
  async answer(line: string, options: WaitOptions = {}): Promise<ConsoleResult> {
    const { alternate } = await this.terminal.screen();
    const execution = this.#asked();
    execution.resists = false;
    this.terminal.write(line.endsWith('\n') || (alternate && line.length === 1) ? line : `${line}\n`);
    return this.#outcome(execution, options);
  }

  /** Throws `bad_input` for unknown keys or if nothing runs. */
  async press(keys: string, options: WaitOptions = {}): Promise<ConsoleResult> {
    const execution = this.#asked();
    execution.resists = false;
    this.terminal.press(keys);
    return this.#outcome(execution, options);
  }

  /** Presses ctrl-C. The command may continue nevertheless. */
  async interrupt({ timeoutMs = 5_000, ...options }: WaitOptions = {}): Promise<ConsoleResult> {
    const execution = this.#last;
    this.#typed = true;
    this.terminal.press('ctrl c');
    const done = await this.#outcome(execution, { timeoutMs, ...options });
    execution.resists = done.running;
    return done;
  }

  get resists(): boolean {
    return this.running && this.#last.resists;
  }

  get unread(): boolean {
    return this.#execution?.done !== undefined && !this.#execution.read;
  }

  /** Whether it seems to wait for input: a full screen shows, or the cursor is behind text. */
  async asks(): Promise<boolean> {
    await this.terminal.screen();
    return this.running && this.#asks(this.#last);
  }

  #asks({ begin }: Execution): boolean {
    const { active } = this.terminal.emulator.buffer;
    return begin !== undefined && (active.type === 'alternate' || active.cursorX > 0);
  }

  get #last(): Execution {
    if (this.#execution !== undefined) return this.#execution;
    throw new GyreError('bad_input', `no command is running in ${this.terminal.id}`, {
      field: 'command',
      fix: 'execute a command first',
    });
  }

  #asked(): Execution {
    const execution = this.#last;
    if (!this.running) {
      throw new GyreError('bad_input', `the command in ${this.terminal.id} has ended`, {
        field: 'command',
        fix: 'execute another command',
      });
    }
    this.#typed = true;
    return execution;
  }

  close(): Promise<void> {
    return this.terminal.close();
  }

  async #outcome(
    execution: Execution,
    { timeoutMs = 30_000, quietMs = Infinity, promptMs = Infinity }: WaitOptions,
  ): Promise<ConsoleResult> {
    checkedNumber('timeoutMs', timeoutMs, { min: 0, max: maxTimerMs });
    for (const [field, ms] of Object.entries({ quietMs, promptMs })) {
      if (ms !== Infinity) checkedNumber(field, ms, { min: 0, max: maxTimerMs });
    }
    const deadline = performance.now() + timeoutMs;
    for (let quiet = false, changed = false; ;) {
      const { done } = execution;
      const { ending } = this.terminal;
      const remainingMs = deadline - performance.now();
      if (execution.incomplete && (done !== undefined || ending !== undefined)) {
        execution.read = true;
        throw new GyreError('bad_input', 'the command is incomplete', {
          field: 'command',
          fix: 'close its quotes, brackets and here-documents',
        });
      }
      if (done !== undefined || ending !== undefined || remainingMs <= 0 || quiet) return this.#executed(execution);
      const patience = changed && this.#asks(execution) ? Math.min(quietMs, promptMs) : quietMs;
      const change = await this.#change(Math.min(remainingMs, patience));
      changed ||= change;
      quiet = !change;
    }
  }

  async #executed(execution: Execution): Promise<ConsoleResult> {
    const screen = await this.terminal.screen();
    // It may have ended meanwhile.
    const { ending } = this.terminal;
    const exitCode = execution.done?.exitCode ?? ending?.exitCode;
    const running = execution.done === undefined && ending === undefined;
    const full = running && screen.alternate;
    const output =
      execution.done?.output ??
      (full
        ? { text: screen.lines.map((line) => line.trimEnd()).join('\n'), truncated: false }
        : this.#output(execution));
    const { seen } = execution;
    execution.seen = output.text;
    execution.read = !running;
    return {
      output: output.text,
      fresh: output.text.startsWith(seen) ? output.text.slice(seen.length) : output.text,
      truncated: output.truncated,
      running,
      ...(exitCode === undefined ? {} : { exitCode }),
      cwd: this.#cwd,
      screen,
    };
  }

  #hear(data: string, secret: string): boolean {
    const signal = signalOf(data, secret);
    const execution = this.running ? this.#execution : undefined;
    if (signal === undefined) return true;
    if (signal.type === 'begin' && execution !== undefined) {
      execution.begin ??= this.#mark();
    }
    if (signal.type === 'more' && execution !== undefined && !execution.incomplete) {
      execution.incomplete = true;
      this.#abandon(execution).catch(() => undefined);
    }
    if (signal.type === 'ready') {
      const before = this.#prompt;
      this.#prompt = this.#mark();
      this.#cwd = signal.cwd;
      this.#count = signal.count;
      // A resize redraws the prompt with the same count.
      if (execution !== undefined && signal.count > execution.count) {
        execution.done = { output: this.#output(execution), exitCode: signal.exitCode };
      }
      // xterm moves every marker on every scroll, so unused ones are disposed.
      if (!this.running) for (const row of [before.row, execution?.begin?.row, execution?.head?.end]) row?.dispose();
    }
    return true;
  }

  /** Repeats ctrl-C: bash loses what comes just before it reads. */
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

  #output(execution: Execution): Shortened {
    const { begin, head, lines, options } = execution;
    const cap = options.maxOutput ?? 2 ** 16;
    if (begin === undefined) {
      // A syntax error never begins; its message is below the command.
      const text = this.#from(execution.prompt);
      return shortenText({ head: text.split('\n').slice(execution.pasted).join('\n'), cap });
    }
    if (head === undefined) return shortenText({ head: this.#from(begin), cap });
    const rest = this.#from({ row: head.end, column: 0 });
    const gone = head.end === undefined || head.end.isDisposed;
    return shortenText(gone ? { head: head.text, tail: rest, lines, cap } : { head: head.text + rest, cap });
  }

  /** Returns the text from a mark to the cursor; all that is left if the mark is gone. */
  #from({ row, column }: Mark): string {
    const { active, normal } = this.terminal.emulator.buffer;
    const isLive = row !== undefined && !row.isDisposed && active.type === 'normal';
    return textBetween(
      active.type === 'normal' ? normal : active,
      isLive ? { row: row.line, column } : { row: 0, column: 0 },
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

  /** Resolves with whether the screen changed within `ms`. */
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
