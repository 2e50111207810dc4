import { appendFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { machine } from '../doctor/machine.js';
import { markdownTable, markdownText, table } from './table.js';
import type { Terminal } from './terminal.js';

/** The tables of a benchmark: printed as they come, and kept to be written down. */
export class Tables {
  readonly #kept: string[] = [];
  /** Of the minute before: what else the machine had to do. */
  readonly #load = loadavg()[0]!;

  constructor(private readonly terminal: Terminal) {}

  add(header: readonly string[], rows: readonly (readonly string[])[]): void {
    for (const line of table(header, rows)) this.terminal.print(line);
    this.terminal.print();
    this.#kept.push(markdownTable(header, rows).join('\n'));
  }

  say(line: string): void {
    this.terminal.print(line);
    this.#kept.push(markdownText(line));
  }

  /** Adds them to a Markdown file, with the day and the machine; does nothing without a path. @param command that made them. */
  async append(path: string | undefined, command: string): Promise<void> {
    if (path === undefined) return;
    const day = new Date().toISOString().slice(0, 10);
    const where = `${day}, ${machine()}, Node ${process.versions.node}; load ${this.#load.toFixed(1)} when it began.`;
    await appendFile(path, [`## \`${command}\``, where, ...this.#kept].join('\n\n') + '\n\n');
  }
}
