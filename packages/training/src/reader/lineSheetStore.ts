import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Split } from '@gyre/protocol';
import type { BrowserPool } from '@gyre/sandbox';
import { type LineSheet, decodeLineSheet, lineSheetVersion, lineSheets } from '@gyre/tasks';
import writeFileAtomic from 'write-file-atomic';
import { packSheet, unpackSheet } from '../ct/sheetFile.js';
import type { LinePage } from './linePage.js';

export interface LineSheetStoreOptions {
  readonly folder: string;
  readonly pool: BrowserPool;
  readonly seed: number;
  readonly split: Split;
  readonly characters: readonly string[];
}

/** Renders sheets of lines, and stores them: they are read many times, with other jitter. */
export class LineSheetStore {
  readonly #options: LineSheetStoreOptions;

  constructor(options: LineSheetStoreOptions) {
    this.#options = options;
  }

  /** Throws `infra` if the browser fails. */
  async page(index: number): Promise<LinePage> {
    const { png, lines } = (await this.#stored(index)) ?? (await this.#rendered(index));
    return { screen: await decodeLineSheet(png), lines };
  }

  #path(index: number): string {
    const { folder, split, seed } = this.#options;
    return join(folder, `v${lineSheetVersion}-lines-${split}-${seed}-${index}.sheet`);
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
    const { folder, pool, seed, split, characters } = this.#options;
    const sheets: LineSheet[] = [];
    for await (const sheet of lineSheets(pool, { seed, index, count: 1, split, characters })) sheets.push(sheet);
    const sheet = sheets[0]!;
    await mkdir(folder, { recursive: true });
    await writeFileAtomic(this.#path(index), packSheet({ png: sheet.png, labels: sheet.lines }), { fsync: false });
    return sheet;
  }
}
