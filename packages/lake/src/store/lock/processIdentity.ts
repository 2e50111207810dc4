import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type FileSystem, codeOf, removeFile } from '../fileSystem.js';

/** Identifies a process despite reused pids. Linux fields are empty elsewhere. */
export const ProcessIdentity = z.object({
  host: z.string(),
  boot: z.string(),
  pidNamespace: z.string(),
  pid: z.int(),
  started: z.string(),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

export const heartbeatMs = 10_000;

/** An owner on another machine counts as dead after this silence. */
export const silenceMs = 120_000;

export function thisProcess(): ProcessIdentity {
  return {
    host: hostname(),
    boot: orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: orEmpty(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    started: statusOf(process.pid)?.started ?? '',
  };
}

/**
 * Asks the kernel if the pid is visible, else checks the heartbeat.
 * @param silent returns ms since the last heartbeat, by the file system's clock
 */
export async function isAlive(identity: ProcessIdentity | undefined, silent: () => Promise<number>): Promise<boolean> {
  const seen = identity && look(identity);
  return seen ?? (await silent()) < silenceMs;
}

/** Returns undefined if unknown. Host names prove nothing: containers share them, and reboots keep them. */
function look({ host, boot, pidNamespace, pid, started }: ProcessIdentity): boolean | undefined {
  const here = thisProcess();
  const shared = boot === here.boot && pidNamespace === here.pidNamespace && host === here.host;
  if (!shared) return undefined;
  if (!exists(pid)) return false;
  const status = statusOf(pid);
  // Without /proc the pid may have been reused.
  if (!status || started === '') return undefined;
  return status.started === started && !status.ended;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Reads proc(5) stat. A zombie stays listed until its parent waits for it. */
function statusOf(pid: number): { started: string; ended: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The bracketed name may contain anything. State is field 3, start field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { started: fields[19] ?? '', ended: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return undefined;
  }
}

/** Returns a file's age by the file system's clock, since machines that share a disk may disagree. */
export async function silenceOf(fs: FileSystem, folder: string, modified: Date): Promise<number> {
  const probe = join(folder, `${process.pid}-${randomBytes(6).toString('hex')}.clock`);
  let now = Date.now();
  try {
    await (await fs.open(probe, 'wx')).close();
    now = (await fs.stat(probe)).mtimeMs;
  } catch {
    // On a full or read-only disk, the local clock must do.
  }
  await removeFile(fs, probe);
  return now - modified.getTime();
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
