import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Stores measurements in a JSONL file, so that an experiment can be resumed. */
export class Records<T> {
  readonly #file: string;

  private constructor(
    file: string,
    readonly entries: T[],
  ) {
    this.#file = file;
  }

  /** Includes those of an earlier run. */
  static async open<T>(file: string): Promise<Records<T>> {
    await mkdir(dirname(file), { recursive: true });
    const text = await readFile(file, 'utf8').catch(() => '');
    const lines = text.split('\n').filter((line) => line !== '');
    return new Records(
      file,
      lines.map((line) => JSON.parse(line) as T),
    );
  }

  async add(entry: T): Promise<void> {
    this.entries.push(entry);
    await appendFile(this.#file, `${JSON.stringify(entry)}\n`);
  }
}
