import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type FileSystem, isMissing, removeFile, storageError } from '../fileSystem.js';
import { ProcessIdentity, heartbeatMs, isAlive, silenceOf, thisProcess } from './processIdentity.js';

/**
 * A writer of a lake: one open lake in one process, of any number. Its name starts the names of all its unfinished files.
 * Its owner file lies beside them for as long as it may write, so that the next to open the lake knows what nobody will
 * finish.
 */
export class Owner {
  readonly name = `${process.pid}-${randomBytes(6).toString('hex')}`;
  private readonly path: string;
  private claimed: Promise<void> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(
    private readonly fs: FileSystem,
    folder: string,
  ) {
    this.path = ownerPath(folder, this.name);
  }

  /** Says that this process writes here. Cheap after the first time. */
  claim(): Promise<void> {
    this.claimed ??= this.write('w').catch((error: unknown) => {
      this.claimed = undefined;
      throw storageError(error, this.path);
    });
    return this.claimed;
  }

  async release(): Promise<void> {
    clearInterval(this.heartbeat);
    if (this.claimed) await removeFile(this.fs, this.path);
    this.claimed = undefined;
  }

  private async write(mode: 'w' | 'r+'): Promise<void> {
    const handle = await this.fs.open(this.path, mode);
    try {
      // The same bytes again: the file system stamps them with its own clock, and needs no room.
      await handle.writeFile(JSON.stringify(thisProcess()));
    } finally {
      await handle.close();
    }
    this.heartbeat ??= setInterval(() => void this.beat(), heartbeatMs).unref();
  }

  /** Processes on other machines cannot see whether this one lives; they look at the time of its owner file. */
  private async beat(): Promise<void> {
    try {
      await this.write('r+');
    } catch (error) {
      // Whoever took this process for dead has removed the file. What fails now is tried again at the next beat.
      if (isMissing(error)) await this.write('w').catch(() => undefined);
    }
  }
}

export function ownerPath(folder: string, name: string): string {
  return join(folder, `${name}.owner`);
}

/**
 * Whether the process behind an owner file may still write. Should a heartbeat mislead, nothing is lost: a writer whose
 * file was taken over writes its episode to another one.
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
    return undefined; // Its writer died within the write, or is in it.
  }
}
