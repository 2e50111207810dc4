import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type FileSystem, isMissing, removeFile, storageError } from '../fileSystem.js';
import { ProcessIdentity, heartbeatMs, isAlive, silenceOf, thisProcess } from './processIdentity.js';

/** Its name prefixes a writer's unfinished files; its owner file shows whether the writer lives. */
export class Owner {
  readonly #fs: FileSystem;

  readonly name = `${process.pid}-${randomBytes(6).toString('hex')}`;
  readonly #path: string;
  #claimed: Promise<void> | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(fs: FileSystem, folder: string) {
    this.#fs = fs;

    this.#path = ownerPath(folder, this.name);
  }

  claim(): Promise<void> {
    this.#claimed ??= this.#write('w').catch((error: unknown) => {
      this.#claimed = undefined;
      throw storageError(error, this.#path);
    });
    return this.#claimed;
  }

  async release(): Promise<void> {
    clearInterval(this.#heartbeat);
    if (this.#claimed) await removeFile(this.#fs, this.#path);
    this.#claimed = undefined;
  }

  async #write(mode: 'w' | 'r+'): Promise<void> {
    const handle = await this.#fs.open(this.#path, mode);
    try {
      // Rewriting equal bytes updates the time by the file system's clock and needs no space.
      await handle.writeFile(JSON.stringify(thisProcess()));
    } finally {
      await handle.close();
    }
    this.#heartbeat ??= setInterval(() => void this.#beat(), heartbeatMs).unref();
  }

  async #beat(): Promise<void> {
    try {
      await this.#write('r+');
    } catch (error) {
      // Another process took this one for dead.
      if (isMissing(error)) await this.#write('w').catch(() => undefined);
    }
  }
}

export function ownerPath(folder: string, name: string): string {
  return join(folder, `${name}.owner`);
}

/**
 * Returns whether the owner may still write. Errors lose nothing: a writer whose file was taken over uses another one.
 */
export async function ownerLives(fs: FileSystem, folder: string, name: string): Promise<boolean> {
  const path = ownerPath(folder, name);
  let text: string, modified: Date;
  try {
    text = await fs.readFile(path, 'utf8');
    modified = (await fs.stat(path)).mtime;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  return isAlive(readIdentity(text), () => silenceOf(fs, folder, modified));
}

function readIdentity(text: string): ProcessIdentity | undefined {
  try {
    return ProcessIdentity.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
