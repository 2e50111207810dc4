import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Damage, Lake } from '@gyre/lake';
import { HttpRefusal } from '@gyre/sandbox';
import { openLake } from '../recorded/openLake.js';
import type { RunEntry } from './wire.js';

interface OpenRun {
  readonly name: string;
  readonly directory: string;
  readonly lake: Lake;
}

/** Finds folders with a lake among those given and directly within them, and keeps their lakes open. */
export class RunFolders {
  readonly #roots: readonly string[];
  readonly #onDamage: (run: string, damage: Damage) => void;
  readonly #open = new Map<string, Promise<OpenRun>>();

  constructor(roots: readonly string[], onDamage: (run: string, damage: Damage) => void) {
    this.#roots = roots.map((root) => resolve(root));
    this.#onDamage = onDamage;
  }

  /** Looks again for folders: runs may have begun since. */
  async list(): Promise<RunEntry[]> {
    const entries: RunEntry[] = [];
    for (const name of (await this.#directories()).keys()) {
      const { directory, lake } = await this.open(name);
      const running = (await lake.running()).length;
      const trains = existsSync(join(directory, 'updates.jsonl'));
      entries.push({ name, directory, episodes: await counted(lake), running, trains });
    }
    return entries;
  }

  /** Names them, after looking again for folders. */
  async names(): Promise<string[]> {
    return [...(await this.#directories()).keys()];
  }

  /** @throws HttpRefusal 404 if there is none of this name */
  async open(name: string): Promise<OpenRun> {
    const known = this.#open.get(name);
    if (known) return known;
    const { directory } = await this.find(name);
    const opening = openLake(directory, { onDamage: (damage) => this.#onDamage(name, damage) }).then((lake) => ({
      ...{ name, directory, lake },
    }));
    this.#open.set(name, opening);
    opening.catch(() => this.#open.delete(name));
    return opening;
  }

  /**
   * Finds a folder without opening its lake.
   *
   * @throws HttpRefusal 404 if there is none of this name
   */
  async find(name: string): Promise<Pick<OpenRun, 'name' | 'directory'>> {
    const known = await this.#open.get(name);
    const directory = known?.directory ?? (await this.#directories()).get(name);
    if (directory === undefined) throw new HttpRefusal(404, `there is no run ${name}`, 'GET /api/runs lists them');
    return { name, directory };
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#open.values());
    const lakes = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value.lake] : []));
    await Promise.all(lakes.map((lake) => lake.close()));
  }

  async #directories(): Promise<Map<string, string>> {
    const directories: string[] = [];
    for (const root of this.#roots) {
      const inside = await readdir(root, { withFileTypes: true }).catch(() => []);
      const folders = inside.filter((entry) => entry.isDirectory()).map((entry) => join(root, entry.name));
      directories.push(...[root, ...folders.sort()].filter((folder) => existsSync(join(folder, 'lake', 'episodes'))));
    }
    const named = new Map<string, string>();
    for (const directory of new Set(directories)) {
      let name = basename(directory);
      for (let number = 2; named.has(name); number++) name = `${basename(directory)}-${number}`;
      named.set(name, directory);
    }
    return named;
  }
}

const patienceMs = 200;

async function counted(lake: Lake): Promise<number | null> {
  const count = lake.sql('SELECT count(*) FROM episodes').then(({ rows }) => Number(rows[0]?.[0] ?? 0));
  let timer: NodeJS.Timeout | undefined;
  const impatience = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), patienceMs);
  });
  try {
    return await Promise.race([count, impatience]);
  } finally {
    clearTimeout(timer);
    // Whoever asks next is told.
    count.catch(() => undefined);
  }
}
