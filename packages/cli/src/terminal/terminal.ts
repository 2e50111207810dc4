import { shownJson, shownLines } from '@gyre/protocol';
import { Progress } from './progress.js';

/**
 * Prints results to stdout and everything else to stderr. Texts come from models, pages, machines and files, so control characters are
 * escaped.
 */
export class Terminal {
  private current: Progress | undefined;

  constructor(
    readonly json: boolean,
    private readonly stdout: NodeJS.WritableStream = process.stdout,
    private readonly stderr: NodeJS.WritableStream & { isTTY?: boolean } = process.stderr,
  ) {}

  /** True if colours and rewritten lines make sense. */
  get colourful(): boolean {
    return this.stderr.isTTY === true && !process.env.NO_COLOR;
  }

  /** Prints a line of the result for people: to stdout, or to stderr with `--json`. */
  print(line = ''): void {
    this.current?.clear();
    this.#write(this.json ? this.stderr : this.stdout, line);
  }

  log(line: string): void {
    this.current?.clear();
    this.#write(this.stderr, line);
  }

  /** Prints rows of `halfBlocks`, the only text whose escape sequences pass. */
  picture(rows: readonly string[]): void {
    this.current?.clear();
    (this.json ? this.stderr : this.stdout).write(rows.map((row) => `${row}\n`).join(''));
  }

  /** Prints the JSON object of `--json` as the last line of stdout; nothing without `--json`. */
  result(value: Record<string, unknown>): void {
    if (this.json) this.stdout.write(`${shownJson(value)}\n`);
  }

  /**
   * Starts a progress line and ends the previous one.
   *
   * @param from fraction 0..1 of the job that was done before
   */
  progress(label: string, from = 0): Progress {
    this.current?.end();
    this.current = new Progress(label, { stream: this.stderr, from });
    return this.current;
  }

  /** Ends the progress line. */
  end(): void {
    this.current?.end();
    this.current = undefined;
  }

  /** Marks further lines of one text, so that none passes for a line of the command. */
  #write(stream: NodeJS.WritableStream, text: string): void {
    stream.write(`${shownLines(text).join('\n    ┆ ')}\n`);
  }
}
