import { appendFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { machine } from '../doctor/machine.js';
import { markdownTable, markdownText, table } from './table.js';
import type { Terminal } from './terminal.js';

export class Tables {
  readonly #terminal: Terminal;

  readonly #kept: string[] = [];
  /** Load from other work. */
  readonly #load = loadavg()[0]!;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  add(header: readonly string[], rows: readonly (readonly string[])[]): void {
    for (const line of table(header, rows)) this.#terminal.print(line);
    this.#terminal.print();
    this.#kept.push(markdownTable(header, rows).join('\n'));
  }

  say(line: string): void {
    this.#terminal.print(line);
    this.#kept.push(markdownText(line));
  }

  /** Does nothing without a path. */
  async append(path: string | undefined, command: string): Promise<void> {
    if (path === undefined) return;
    const day = new Date().toISOString().slice(0, 10);
    const where = `${day}, ${machine()}, Node ${process.versions.node}; load ${this.#load.toFixed(1)} at the start.`;
    await appendFile(path, [`## \`${command}\``, where, ...this.#kept].join('\n\n') + '\n\n');
  }
}
