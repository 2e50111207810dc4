import { basename, join } from 'node:path';
import { type Damage, messageOf } from './episodeFiles.js';
import { type FileSystem, isMissing, storageError, writeWhole } from './fileSystem.js';
import { type Names, matchesName } from './layout.js';
import type { Manifest } from './manifest.js';

/** One folder of immutable JSON files, each a record named by its checksum: concurrent writers lose none. */
export class Records {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #name: string;
  readonly #names: Names;
  readonly #manifest: Manifest;
  readonly #aside: () => Promise<string>;
  readonly #sync: boolean;
  readonly #onDamage: (damage: Damage) => void;

  readonly #whole = new Set<string>();
  readonly #read = new Map<string, unknown>();
  readonly #reported = new Set<string>();

  constructor(
    fs: FileSystem,
    folder: string,
    names: Names,
    manifest: Manifest,
    aside: () => Promise<string>,
    sync: boolean,
    onDamage: (damage: Damage) => void,
  ) {
    this.#fs = fs;
    this.#folder = folder;
    this.#name = basename(folder);
    this.#names = names;
    this.#manifest = manifest;
    this.#aside = aside;
    this.#sync = sync;
    this.#onDamage = onDamage;
  }

  async put(record: object): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(record)}\n`);
    const name = this.#names.record(Date.now(), bytes);
    const file = { path: join(this.#folder, name), aside: await this.#aside(), bytes, sync: this.#sync };
    await this.#manifest.guard(writeWhole(this.#fs, file));
    this.#whole.add(name);
    await this.#manifest.record([{ file: `${this.#name}/${name}`, bytes }]);
  }

  /** Returns intact files, oldest first. */
  async files(): Promise<string[]> {
    const { whole, damaged } = await this.verify((name) => this.#whole.has(name));
    for (const name of whole) this.#whole.add(name);
    for (const damage of damaged) {
      if (this.#reported.has(damage.file)) continue;
      this.#reported.add(damage.file);
      this.#onDamage(damage);
    }
    return whole;
  }

  /** Returns the intact records, oldest first. */
  async read(): Promise<unknown[]> {
    const names = await this.files();
    for (const name of this.#read.keys()) if (!names.includes(name)) this.#read.delete(name);
    const records = await Promise.all(names.map((name) => this.#recordOf(name)));
    return records.filter((record) => record !== gone);
  }

  /** Removes the records that match. */
  async drop(matches: (record: unknown) => boolean): Promise<void> {
    for (const name of await this.files()) {
      const record = await this.#recordOf(name);
      if (record === gone || !matches(record)) continue;
      // Unlisted first: a leftover file is no loss.
      await this.#manifest.record([], [{ file: `${this.#name}/${name}`, why: 'pruned' }]);
      const path = join(this.#folder, name);
      await this.#fs.unlink(path).catch((error: unknown) => {
        if (!isMissing(error)) throw storageError(error, path);
      });
    }
  }

  async #recordOf(name: string): Promise<unknown> {
    // The files never change.
    if (this.#read.has(name)) return this.#read.get(name);
    try {
      const record: unknown = JSON.parse(await this.#fs.readFile(join(this.#folder, name), 'utf8'));
      this.#read.set(name, record);
      return record;
    } catch (error) {
      if (isMissing(error)) return gone;
      throw error;
    }
  }

  async verify(known: (name: string) => boolean = () => false): Promise<{ whole: string[]; damaged: Damage[] }> {
    const whole: string[] = [];
    const damaged: Damage[] = [];
    for (const name of (await this.#fs.readdir(this.#folder)).sort()) {
      const reason = known(name) ? undefined : await this.#damageOf(name);
      if (reason === undefined) whole.push(name);
      else if (reason !== gone) damaged.push({ file: join(this.#name, name), reason });
    }
    return { whole, damaged };
  }

  async #damageOf(name: string): Promise<string | typeof gone | undefined> {
    try {
      const bytes = await this.#fs.readFile(join(this.#folder, name));
      return matchesName(bytes, name) ? undefined : 'its content does not match the checksum in its name';
    } catch (error) {
      return isMissing(error) ? gone : messageOf(error);
    }
  }
}

const gone = Symbol('gone');
