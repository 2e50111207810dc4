import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type FileSystem, isMissing, removeFile, storageError } from './fileSystem.js';

/**
 * Who writes: one open lake in one process. Its name starts the names of all its unfinished files, and its owner file
 * lies beside them for as long as it may write, so that the next to open the lake knows what nobody will finish.
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
    this.claimed ??= this.write().catch((error: unknown) => {
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

  private async write(): Promise<void> {
    const handle = await this.fs.open(this.path, 'w');
    try {
      await handle.writeFile(JSON.stringify(thisProcess()));
    } finally {
      await handle.close();
    }
    this.heartbeat ??= setInterval(() => void this.beat(), heartbeatMs).unref();
  }

  /** Processes on other machines cannot see whether this one lives; they look at the time of its owner file. */
  private async beat(): Promise<void> {
    const now = new Date();
    try {
      await this.fs.utimes(this.path, now, now);
    } catch (error) {
      // What fails now is tried again at the next beat.
      if (isMissing(error)) await this.write().catch(() => undefined);
    }
  }
}

const heartbeatMs = 30_000;
/** An owner on another machine that has been silent for this long is taken for dead. */
const silenceMs = 600_000;

export function ownerPath(folder: string, name: string): string {
  return join(folder, `${name}.owner`);
}

/**
 * Whether the process behind an owner file may still write. On this machine the kernel knows. For one elsewhere (another
 * host or container on a shared disk) its heartbeat tells; should that be wrong, nothing is lost: the episode is cut
 * too early, and its whole version takes the place of the cut one when it finishes.
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
  const owner = readIdentity(text);
  const here = thisProcess();
  if (owner?.host === here.host && owner.boot !== here.boot) return false;
  if (owner?.host === here.host && owner.pidNamespace === here.pidNamespace) {
    return processRuns(owner.pid) && owner.started === startOf(owner.pid);
  }
  return Date.now() - modified.getTime() < silenceMs;
}

/** A process, told apart from a later one with the same number. The fields that Linux alone knows are empty elsewhere. */
const Identity = z.object({
  host: z.string(),
  boot: z.string(),
  pidNamespace: z.string(),
  pid: z.int(),
  started: z.string(),
});
type Identity = z.infer<typeof Identity>;

function thisProcess(): Identity {
  return {
    host: hostname(),
    boot: orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: orEmpty(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    started: startOf(process.pid),
  };
}

function readIdentity(text: string): Identity | undefined {
  try {
    return Identity.parse(JSON.parse(text));
  } catch {
    return undefined; // Its writer died within the write, or is in it.
  }
}

function processRuns(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Clock ticks from boot to the start of a process: field 22 of proc(5) stat, counted after the name in brackets. */
function startOf(pid: number): string {
  return orEmpty(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  });
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
