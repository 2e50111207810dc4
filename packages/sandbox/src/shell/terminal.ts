import { constants } from 'node:os';
import { spawn, type IPty } from '@lydell/node-pty';
import { GyreError } from '@gyre/protocol';
import type { Terminal as Emulator } from '@xterm/headless';
import { checkedNumber, maxTimerMs } from '../checkedNumber.js';
import type { ExitStatus, Origin } from './child.js';
import { createEmulator } from './emulator.js';
import { endTree, leaderOf, markVariable, type Leader } from './processTree.js';
import { graceMs } from './run.js';
import { screenOf, textBetween, type TerminalScreen, type TerminalSize } from './screen.js';
import { TerminalInput } from './terminalInput.js';
import { keySequence } from './terminalKeys.js';
import { checkCommand, checkCwd } from './commandChecks.js';

export interface TerminalOptions {
  /** Default 80 x 24; at most 500 x 200. */
  readonly size?: TerminalSize;
  /** Default: the home. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default 5,000; at most 50,000 rows. */
  readonly scrollback?: number;
}

const defaultSize: TerminalSize = { columns: 80, rows: 24 };
const defaultScrollback = 5_000;

/** In xterm. */
const bytesOfCell = 12;

/** Returns the most bytes that its rows can take; 0 for an invalid size, which `start` refuses. */
export function terminalBytes({ size = defaultSize, scrollback = defaultScrollback }: TerminalOptions): number {
  const bytes = bytesOfCell * size.columns * (size.rows + scrollback);
  return Number.isFinite(bytes) ? bytes : 0;
}

export type Until =
  /** Wrapped lines count as whole. A pattern runs in this process: never take it from an agent. */
  { readonly text: string | RegExp } | { readonly quietMs: number } | { readonly exit: true };

export interface Waited {
  /** False if the time or the program ended first. */
  readonly met: boolean;
  readonly screen: TerminalScreen;
}

/** Unparsed bytes that pause and resume the program. */
const crowded = 2 ** 18;
const relieved = 2 ** 16;

const piece = 2 ** 12;

/** A program on a pseudo-terminal, and its screen, full-screen programs included. */
export class Terminal {
  /** Resolves once the screen shows all output. */
  readonly ended: Promise<ExitStatus>;
  readonly emulator: Emulator;
  onClose: () => void = () => {};
  /** Called before growing; may throw to refuse. */
  onGrow: (bytes: number) => void = () => {};
  readonly #pty: IPty;
  readonly #input: TerminalInput;
  readonly #scrollback: number;
  readonly #mark: string;
  readonly #leader: Leader;
  readonly #listeners = new Set<() => void>();
  #ending: ExitStatus | undefined;
  #closed: Promise<void> | undefined;
  #title = '';
  #cursorVisible = true;
  #unparsed = 0;
  #paused = false;
  #lastOutput = performance.now();

  private constructor(
    readonly id: string,
    pty: IPty,
    emulator: Emulator,
    mark: string,
    scrollback: number,
  ) {
    this.#scrollback = scrollback;
    this.#pty = pty;
    this.#input = new TerminalInput(pty);
    this.#mark = mark;
    this.#leader = leaderOf(pty.pid);
    this.emulator = emulator;
    // Bytes, contrary to the typings, due to `encoding: null`.
    pty.onData((data) => this.#take(data as unknown as Uint8Array));
    // The emulator answers queries, such as the cursor's position.
    emulator.onData((answer) => void this.#input.write(answer));
    emulator.onTitleChange((title) => (this.#title = title.slice(0, 1_000)));
    for (const final of ['h', 'l']) {
      emulator.parser.registerCsiHandler({ prefix: '?', final }, (params) => {
        if (params.includes(25)) this.#cursorVisible = final === 'h';
        return false;
      });
    }
    this.ended = this.#end();
  }

  /** Throws `infra` or `bad_input`. */
  static async start(
    id: string,
    { enclosure, mark }: Origin,
    [program, ...args]: readonly [string, ...string[]],
    { size = defaultSize, cwd, env, scrollback = defaultScrollback }: TerminalOptions = {},
  ): Promise<Terminal> {
    checkSize(size);
    checkCommand(args.at(-1) ?? program, env);
    if (!(Number.isInteger(scrollback) && scrollback >= 0 && scrollback <= 50_000)) {
      throw new GyreError('bad_input', `invalid scrollback: ${scrollback} rows`, {
        field: 'scrollback',
        fix: 'use a whole number from 0 to 50000',
      });
    }
    const { columns: cols, rows } = size;
    const name = 'xterm-256color';
    const start = enclosure.command(program, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { TERM: name, ...env, [markVariable]: mark },
    });
    await checkCwd(start.cwd);
    let pty;
    try {
      pty = spawn(start.file, [...start.args], { name, cols, rows, cwd: start.cwd, env: start.env, encoding: null });
    } catch (cause) {
      throw new GyreError('infra', 'cannot open a pseudo-terminal', {
        part: 'shell',
        fix: 'close terminals, or check ulimit -u',
        cause,
      });
    }
    return new Terminal(id, pty, createEmulator(size, scrollback), mark, scrollback);
  }

  /** Most bytes that its rows can take. */
  get bytes(): number {
    const { cols: columns, rows } = this.emulator;
    return terminalBytes({ size: { columns, rows }, scrollback: this.#scrollback });
  }

  get ending(): ExitStatus | undefined {
    return this.#ending;
  }

  /** Types text; a line break is enter. Throws `bad_input` after the program's end. */
  write(text: string): void {
    this.#checkRunning();
    this.#type(text.replace(/\r\n|\n/g, '\r'));
  }

  /**
   * Pastes text: under bracketed paste, line breaks and tabs have no effect of their own. Throws `bad_input` for
   * control characters.
   */
  paste(text: string): void {
    this.#checkRunning();
    const lines = text.replace(/\r\n/g, '\n');
    // eslint-disable-next-line no-control-regex -- it is these that are looked for
    const control = /[\0-\x08\x0b-\x1f\x7f]/.exec(lines);
    if (control !== null) {
      throw new GyreError('bad_input', `the text contains the control character U+00${hex(control[0])}`, {
        field: 'text',
        fix: "write it as an escape of the shell, such as $'\\x1b', or write the text to a file",
      });
    }
    if (this.emulator.modes.bracketedPasteMode) this.#type(`\x1b[200~${lines}\x1b[201~`);
    else this.#type(lines.replaceAll('\n', '\r'));
  }

  /** Presses keys such as `ctrl c`, `up` or `shift tab`. Throws `bad_input` for unknown ones. */
  press(keys: string): void {
    this.#checkRunning();
    this.#type(keySequence(keys, this.emulator.modes.applicationCursorKeysMode));
  }

  /** Returns the screen, with the last `scrollback` rows above it. */
  async screen({ scrollback = 0 }: { scrollback?: number } = {}): Promise<TerminalScreen> {
    this.#checkOpen();
    await this.#flush();
    return screenOf(this.emulator, { visible: this.#cursorVisible, title: this.#title, scrollback });
  }

  async resize(size: TerminalSize): Promise<void> {
    checkSize(size);
    this.#checkRunning();
    this.onGrow(Math.max(0, terminalBytes({ size, scrollback: this.#scrollback }) - this.bytes));
    await this.#flush();
    if (this.#ending !== undefined) return;
    this.#pty.resize(size.columns, size.rows);
    this.emulator.resize(size.columns, size.rows);
  }

  /** Waits for 30 s at most by default. */
  async wait({ until, timeoutMs = 30_000 }: { until: Until; timeoutMs?: number }): Promise<Waited> {
    this.#checkOpen();
    checkedNumber('timeoutMs', timeoutMs, { min: 0, max: maxTimerMs });
    if ('quietMs' in until) checkedNumber('quietMs', until.quietMs, { min: 0, max: maxTimerMs });
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      await this.#flush();
      const remainingMs = deadline - performance.now();
      const met = this.#meets(until);
      if (met || remainingMs <= 0 || this.#ending !== undefined || this.#closed !== undefined) {
        return {
          met,
          screen: screenOf(this.emulator, { visible: this.#cursorVisible, title: this.#title, scrollback: 0 }),
        };
      }
      const quiet = 'quietMs' in until ? this.#lastOutput + until.quietMs - performance.now() : remainingMs;
      await this.#change(Math.max(1, Math.min(remainingMs, quiet)));
    }
  }

  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#listeners.add(done);
    });
  }

  /** Ends the process tree: SIGHUP and SIGTERM, then SIGKILL. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#notify();
    const tree = { leader: this.#leader, mark: this.#mark };
    if (this.#ending === undefined) this.#pty.kill('SIGHUP');
    this.#resume();
    await endTree(tree, this.#ending === undefined ? graceMs : 0);
    await this.ended;
    this.emulator.dispose();
    this.onClose();
  }

  async #end(): Promise<ExitStatus> {
    const ending = await new Promise<ExitStatus>((resolve) =>
      this.#pty.onExit(({ exitCode, signal }) => resolve(signal ? { signal: signalNamed(signal) } : { exitCode })),
    );
    await this.#flush();
    this.#ending = ending;
    this.#notify();
    return ending;
  }

  #take(data: Uint8Array): void {
    this.#unparsed += data.length;
    if (this.#unparsed > crowded && !this.#paused) {
      this.#paused = true;
      this.#pty.pause();
    }
    // In small pieces, between which the emulator yields.
    for (let offset = 0; offset < data.length; offset += piece) {
      const part = data.subarray(offset, offset + piece);
      this.emulator.write(part, () => {
        this.#unparsed -= part.length;
        this.#lastOutput = performance.now();
        if (this.#unparsed < relieved) this.#resume();
        this.#notify();
      });
    }
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#pty.resume();
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #flush(): Promise<void> {
    return this.#unparsed === 0 ? Promise.resolve() : new Promise((resolve) => this.emulator.write('', resolve));
  }

  /** Throws `bad_input` if the program has not read for long. */
  #type(text: string): void {
    if (this.#input.write(text)) return;
    throw new GyreError('bad_input', `the program of ${this.id} does not read its input`, {
      field: 'text',
      fix: 'wait until it does, or use a file',
    });
  }

  #meets(until: Until): boolean {
    if ('exit' in until) return this.#ending !== undefined;
    if ('quietMs' in until) return this.#ending !== undefined || performance.now() - this.#lastOutput >= until.quietMs;
    const buffer = this.emulator.buffer.active;
    const last = buffer.baseY + this.emulator.rows - 1;
    const text = textBetween(buffer, { row: buffer.baseY, column: 0 }, { row: last, column: this.emulator.cols });
    return typeof until.text === 'string' ? text.includes(until.text) : text.search(until.text) >= 0;
  }

  #checkOpen(): void {
    if (this.#closed === undefined) return;
    throw new GyreError('bad_input', `${this.id} was closed`, { field: 'terminal', fix: 'open another terminal' });
  }

  #checkRunning(): void {
    this.#checkOpen();
    if (this.#ending === undefined) return;
    throw new GyreError('bad_input', `the program of ${this.id} has ended`, {
      field: 'terminal',
      fix: 'open another terminal',
    });
  }
}

function checkSize({ columns, rows }: TerminalSize): void {
  const fits = (value: number, max: number): boolean => Number.isInteger(value) && value >= 2 && value <= max;
  if (fits(columns, 500) && fits(rows, 200)) return;
  throw new GyreError('bad_input', `invalid terminal size: ${columns} x ${rows}`, {
    field: 'size',
    fix: 'use 2 to 500 columns and 2 to 200 rows',
  });
}

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase();

function signalNamed(number: number): NodeJS.Signals {
  const names = Object.entries(constants.signals).find(([, value]) => value === number);
  return (names?.[0] ?? 'SIGKILL') as NodeJS.Signals;
}
