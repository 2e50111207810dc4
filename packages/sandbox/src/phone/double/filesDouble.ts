export interface FileDouble {
  readonly bytes: Buffer;
  readonly mode: number;
}

/** Writable by user `shell`. */
const open = ['/sdcard/', '/data/local/tmp/'];

export class FilesDouble {
  readonly #files = new Map<string, FileDouble>();

  get paths(): string[] {
    return [...this.#files.keys()];
  }

  mayWrite(path: string): boolean {
    return open.some((folder) => path.startsWith(folder)) && !path.split('/').includes('..');
  }

  read(path: string): FileDouble | undefined {
    return this.#files.get(path);
  }

  write(path: string, bytes: Buffer, mode = 0o644): void {
    this.#files.set(path, { bytes, mode });
  }

  /** Returns undefined values for subfolders. */
  list(path: string): Map<string, FileDouble | undefined> | undefined {
    const folder = path.endsWith('/') ? path : `${path}/`;
    const entries = new Map<string, FileDouble | undefined>();
    for (const [whole, file] of this.#files) {
      if (!whole.startsWith(folder)) continue;
      const [name = '', ...rest] = whole.slice(folder.length).split('/');
      entries.set(name, rest.length === 0 ? file : undefined);
    }
    return entries.size > 0 || open.includes(folder) ? entries : undefined;
  }

  remove(path: string): void {
    this.#files.delete(path);
  }
}
