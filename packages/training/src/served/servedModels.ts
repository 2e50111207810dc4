import { readFile } from 'node:fs/promises';
import type { ModelRecord } from '@gyre/engine';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';

const Ids = z.array(z.string().regex(/^[\w.:-]{1,200}$/)).max(1_000);

/** Keeps the models that a run has loaded at a server, in a file of the run. */
export class ServedModels implements ModelRecord {
  readonly #path: string;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** A file that is missing or damaged names none: the server deletes the models of a lost session itself. */
  async ids(): Promise<readonly string[]> {
    try {
      return Ids.safeParse(JSON.parse(await readFile(this.#path, 'utf8'))).data ?? [];
    } catch {
      return [];
    }
  }

  add(id: string): Promise<void> {
    return this.#change((ids) => [...ids, id]);
  }

  remove(id: string): Promise<void> {
    return this.#change((ids) => ids.filter((each) => each !== id));
  }

  #change(change: (ids: readonly string[]) => readonly string[]): Promise<void> {
    const changed = this.#writing.then(async () => {
      const ids = await this.ids();
      await writeFileAtomic(this.#path, JSON.stringify(change(ids)));
    });
    this.#writing = changed.catch(() => undefined);
    return changed;
  }
}
