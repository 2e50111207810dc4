import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LineSheet, decodeLineSheet } from '@gyre/tasks';
import writeFileAtomic from 'write-file-atomic';
import { packSheet, unpackSheet } from '../ct/sheetFile.js';
import type { LinePage } from './linePage.js';

export interface LineSheetStoreOptions {
  readonly folder: string;
  /** Start of the files' names; changes with whatever changes the sheets. */
  readonly name: string;
  /** Deterministic in the index. */
  readonly render: (index: number) => Promise<LineSheet>;
}

/** Renders sheets of lines, and stores them: they are read many times, with other jitter. */
export class LineSheetStore {
  readonly #options: LineSheetStoreOptions;

  constructor(options: LineSheetStoreOptions) {
    this.#options = options;
  }

  async page(index: number): Promise<LinePage> {
    const { png, lines } = (await this.#stored(index)) ?? (await this.#rendered(index));
    return { screen: await decodeLineSheet(png), lines };
  }

  #path(index: number): string {
    const { folder, name } = this.#options;
    return join(folder, `${name}-${index}.sheet`);
  }

  async #stored(index: number): Promise<LineSheet | undefined> {
    const file = await readFile(this.#path(index)).catch(() => undefined);
    if (!file) return undefined;
    try {
      const { png, labels } = unpackSheet<LineSheet['lines']>(file);
      return { png, lines: labels };
    } catch {
      // A damaged file is rendered again.
      return undefined;
    }
  }

  async #rendered(index: number): Promise<LineSheet> {
    const { folder, render } = this.#options;
    const sheet = await render(index);
    await mkdir(folder, { recursive: true });
    await writeFileAtomic(this.#path(index), packSheet({ png: sheet.png, labels: sheet.lines }), { fsync: false });
    return sheet;
  }
}
