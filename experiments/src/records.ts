import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Measurements in a JSONL file, a line each, so that an experiment goes on where it stopped. */
export class Records<T> {
  private constructor(
    private readonly file: string,
    readonly all: T[],
  ) {}

  /** With those of an earlier run, where there was one. */
  static async open<T>(file: string): Promise<Records<T>> {
    await mkdir(dirname(file), { recursive: true });
    const text = await readFile(file, 'utf8').catch(() => '');
    const lines = text.split('\n').filter((line) => line !== '');
    return new Records(
      file,
      lines.map((line) => JSON.parse(line) as T),
    );
  }

  async add(made: T): Promise<void> {
    this.all.push(made);
    await appendFile(this.file, `${JSON.stringify(made)}\n`);
  }
}
