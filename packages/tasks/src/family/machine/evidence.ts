import { randomUUID } from 'node:crypto';
import { GyreError } from '@gyre/protocol';
import { browserOf, type DesktopWindow, type FileEntry, type RunOptions, type SandboxSession } from '@gyre/sandbox';
import { markTask, inMarkedDocument } from '../pageVerifier.js';

/** Maximum entries of a listed folder. */
const maxEntries = 10_000;

/** Evidence gathered from outside the machine: files, windows, page and answer. */
export class Evidence {
  finished = false;
  answer: string | undefined;

  readonly #mark = randomUUID();
  #opened: readonly DesktopWindow[] = [];

  constructor(readonly machine: SandboxSession) {}

  /** Records the document and windows before the agent acts. */
  async begin(): Promise<void> {
    if (this.machine.browser) await this.machine.browser.evaluate(markTask(this.#mark));
    this.#opened = (await this.machine.desktop?.windows()) ?? [];
  }

  finish(answer: string | undefined): void {
    this.finished = true;
    this.answer = answer;
  }

  /** Returns undefined if missing or unreadable. */
  async bytes(path: string): Promise<Uint8Array | undefined> {
    return this.#maybe(this.machine.files.readBytes(path));
  }

  /** Decodes UTF-8; undefined if missing or unreadable. */
  async text(path: string): Promise<string | undefined> {
    const bytes = await this.bytes(path);
    return bytes && Buffer.from(bytes).toString();
  }

  async entry(path: string): Promise<FileEntry | undefined> {
    return this.#maybe(this.machine.files.stat(path));
  }

  /** Lists visible names, sorted; undefined if the folder is missing or too large. */
  async names(path: string): Promise<string[] | undefined> {
    const listing = await this.#maybe(this.machine.files.list(path, { limit: maxEntries }));
    if (listing === undefined || listing.truncated) return undefined;
    return listing.entries
      .map((entry) => entry.path.split('/').at(-1) ?? '')
      .filter((name) => !name.startsWith('.'))
      .sort();
  }

  /**
   * Returns whether the initial windows exist and have the keyboard, by X window id: an agent's programs can copy
   * titles.
   */
  async windows(titles: readonly string[]): Promise<{ readonly there: boolean; readonly front: boolean }[]> {
    const { desktop } = this.machine;
    const ids = titles.flatMap((title) => this.#opened.find((window) => window.title === title)?.id ?? []);
    if (desktop === undefined || ids.length < titles.length) {
      throw new GyreError('infra', 'a window of the task was missing at the start', {
        part: 'display',
        fix: 'run the task again',
      });
    }
    const { there, keysTo } = await desktop.windowFacts(ids);
    return ids.map((id, index) => ({ there: there[index] === true, front: id === keysTo }));
  }

  /** Evaluates in the isolated world of the task's document; undefined once it is left. */
  async page<T>(expression: string): Promise<T | undefined> {
    const browser = browserOf(this.machine);
    const value = this.#maybe(browser.evaluate<T | null>(inMarkedDocument(this.#mark, expression), { tab: 'first' }));
    return (await value) ?? undefined;
  }

  /**
   * Runs a command that the agent may have written, with its privileges, and returns stdout. Undefined if it cannot
   * run.
   */
  async output(command: string, options: Pick<RunOptions, 'env' | 'stdin' | 'timeoutMs'>): Promise<string | undefined> {
    return (await this.#maybe(this.machine.shell.run(command, { ...options, profile: false })))?.stdout;
  }

  async #maybe<T>(look: Promise<T>): Promise<T | undefined> {
    try {
      return await look;
    } catch (error) {
      // The agent's file changes are no infrastructure failure.
      if (error instanceof GyreError && error.code === 'bad_input') return undefined;
      throw error;
    }
  }
}
