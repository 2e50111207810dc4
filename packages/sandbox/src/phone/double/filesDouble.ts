/** A file of a device that is not there. */
export interface FileDouble {
  readonly bytes: Buffer;
  readonly mode: number;
}

/** Folders that the user `shell` may write. */
const open = ['/sdcard/', '/data/local/tmp/'];

/** The files of a made-up device. */
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

  /** Lists a folder by name, with undefined for subfolders. Returns undefined where there is none. */
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
