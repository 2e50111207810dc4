import { shownJson, shownLines } from '@gyre/protocol';
import { Progress } from './progress.js';

/**
 * Where a command prints. The result goes to stdout, everything else to stderr. Texts come from models, pages, machines and files: a terminal
 * is shown their control characters and obeys none.
 */
export class Terminal {
  private current: Progress | undefined;

  constructor(
    readonly json: boolean,
    private readonly stdout: NodeJS.WritableStream = process.stdout,
    private readonly stderr: NodeJS.WritableStream & { isTTY?: boolean } = process.stderr,
  ) {}

  /** True where colours and rewritten lines make sense. */
  get colourful(): boolean {
    return this.stderr.isTTY === true && !process.env.NO_COLOR;
  }

  /** A line that belongs to the result a person reads: stdout, or stderr with `--json`. */
  print(line = ''): void {
    this.current?.clear();
    this.#write(this.json ? this.stderr : this.stdout, line);
  }

  /** A line about what is going on. */
  log(line: string): void {
    this.current?.clear();
    this.#write(this.stderr, line);
  }

  /** Rows of a picture as `halfBlocks` draws it: the only text whose colours are obeyed. */
  picture(rows: readonly string[]): void {
    this.current?.clear();
    (this.json ? this.stderr : this.stdout).write(rows.map((row) => `${row}\n`).join(''));
  }

  /** The one JSON object of `--json`, as the last line of stdout; nothing without `--json`. */
  result(value: Record<string, unknown>): void {
    if (this.json) this.stdout.write(`${shownJson(value)}\n`);
  }

  /** Starts a progress line; the one before it ends. `from` is what of the job, 0..1, was done before. */
  progress(label: string, from = 0): Progress {
    this.current?.end();
    this.current = new Progress(label, { stream: this.stderr, from });
    return this.current;
  }

  /** Ends the progress line, so that what follows starts on a line of its own. */
  end(): void {
    this.current?.end();
    this.current = undefined;
  }

  /** Further lines of one text are marked: none can pass for a line of the command's own. */
  #write(stream: NodeJS.WritableStream, text: string): void {
    stream.write(`${shownLines(text).join('\n    ┆ ')}\n`);
  }
}
