import { randomUUID } from 'node:crypto';
import { GyreError } from '@gyre/protocol';
import { browserOf, type DesktopWindow, type FileEntry, type RunOptions, type SandboxSession } from '@gyre/sandbox';
import { markTask, unlessLeft } from '../pageVerifier.js';

/** Entries of a folder that are looked at; a folder with more is none that a task asks for. */
const mostEntries = 10_000;

/** What verifiers look at, from outside of the machine: its files, its windows and its page, and what the agent has said. */
export class Evidence {
  /** The agent has said that it is done. */
  finished = false;
  /** What it has answered then. */
  answer: string | undefined;

  readonly #mark = randomUUID();
  #opened: readonly DesktopWindow[] = [];

  constructor(readonly machine: SandboxSession) {}

  /** Notes what there is before the agent acts: the document and the windows that are meant. */
  async begin(): Promise<void> {
    if (this.machine.browser) await this.machine.browser.evaluate(markTask(this.#mark));
    this.#opened = (await this.machine.desktop?.windows()) ?? [];
  }

  finish(answer: string | undefined): void {
    this.finished = true;
    this.answer = answer;
  }

  /** Bytes of a file; undefined where there is none, or none that can be read. */
  async bytes(path: string): Promise<Uint8Array | undefined> {
    return this.#maybe(this.machine.files.readBytes(path));
  }

  /** Text of a file as UTF-8; undefined where there is none. */
  async text(path: string): Promise<string | undefined> {
    const bytes = await this.bytes(path);
    return bytes && Buffer.from(bytes).toString();
  }

  /** What stands at a path; undefined where there is nothing. */
  async entry(path: string): Promise<FileEntry | undefined> {
    return this.#maybe(this.machine.files.stat(path));
  }

  /** Names in a folder, sorted; undefined where there is no such folder, or one that is too large. Hidden ones are left out. */
  async names(path: string): Promise<string[] | undefined> {
    const listing = await this.#maybe(this.machine.files.list(path, { limit: mostEntries }));
    if (listing === undefined || listing.truncated) return undefined;
    return listing.entries
      .map((entry) => entry.path.split('/').at(-1) ?? '')
      .filter((name) => !name.startsWith('.'))
      .sort();
  }

  /**
   * The windows with these titles at the start: whether each is still there, and whether it gets the keys. By the X server, not
   * by titles, which programs of the agent can give to windows of their own.
   */
  async windows(titles: readonly string[]): Promise<{ readonly there: boolean; readonly front: boolean }[]> {
    const { desktop } = this.machine;
    const ids = titles.flatMap((title) => this.#opened.find((window) => window.title === title)?.id ?? []);
    if (desktop === undefined || ids.length < titles.length) {
      throw new GyreError('infra', 'a window of the task was not there at its start', {
        part: 'display',
        fix: 'try again',
      });
    }
    const { there, keysTo } = await desktop.windowFacts(ids);
    return ids.map((id, index) => ({ there: there[index] === true, front: id === keysTo }));
  }

  /** The value of an expression in the isolated world of the task's own document; undefined where the agent has left that. */
  async page<T>(expression: string): Promise<T | undefined> {
    const browser = browserOf(this.machine);
    const value = this.#maybe(browser.evaluate<T | null>(unlessLeft(this.#mark, expression), { tab: 'first' }));
    return (await value) ?? undefined;
  }

  /**
   * What a command writes to standard output, run as the agent's programs are: for code that the agent has written. Nothing of
   * the home is read before it. Undefined where it cannot be run.
   */
  async output(command: string, options: Pick<RunOptions, 'env' | 'stdin' | 'timeoutMs'>): Promise<string | undefined> {
    return (await this.#maybe(this.machine.shell.run(command, { ...options, profile: false })))?.stdout;
  }

  async #maybe<T>(look: Promise<T>): Promise<T | undefined> {
    try {
      return await look;
    } catch (error) {
      // What the agent has made of its files is no failure of the machine.
      if (error instanceof GyreError && error.code === 'bad_input') return undefined;
      throw error;
    }
  }
}
