import { shownJson, shownLines } from '@gyre/protocol';
import { Progress } from './progress.js';

/**
 * Prints results to stdout and the rest to stderr. Texts come from models, pages and files, so control characters are
 * escaped.
 */
export class Terminal {
  readonly #stdout: NodeJS.WritableStream;
  readonly #stderr: NodeJS.WritableStream & { isTTY?: boolean };

  #current: Progress | undefined;

  constructor(
    readonly json: boolean,
    stdout: NodeJS.WritableStream = process.stdout,
    stderr: NodeJS.WritableStream & { isTTY?: boolean } = process.stderr,
  ) {
    this.#stdout = stdout;
    this.#stderr = stderr;
  }

  get colourful(): boolean {
    return this.#stderr.isTTY === true && !process.env.NO_COLOR;
  }

  print(line = ''): void {
    this.#current?.clear();
    this.#write(this.json ? this.#stderr : this.#stdout, line);
  }

  log(line: string): void {
    this.#current?.clear();
    this.#write(this.#stderr, line);
  }

  /** Prints rows of `halfBlocks`: the only unescaped output. */
  picture(rows: readonly string[]): void {
    this.#current?.clear();
    (this.json ? this.#stderr : this.#stdout).write(rows.map((row) => `${row}\n`).join(''));
  }

  result(value: Record<string, unknown>): void {
    if (this.json) this.#stdout.write(`${shownJson(value)}\n`);
  }

  /** @param from fraction 0..1 done before */
  progress(label: string, from = 0): Progress {
    this.#current?.end();
    this.#current = new Progress(label, { stream: this.#stderr, from });
    return this.#current;
  }

  end(): void {
    this.#current?.end();
    this.#current = undefined;
  }

  /** Indents continuation lines: no text can imitate a line of the command. */
  #write(stream: NodeJS.WritableStream, text: string): void {
    stream.write(`${shownLines(text).join('\n    ┆ ')}\n`);
  }
}
