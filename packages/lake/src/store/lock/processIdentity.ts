import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type FileSystem, codeOf, removeFile } from '../fileSystem.js';

/** A process, told apart from a later one with the same number. Fields that only Linux knows are empty elsewhere. */
export const ProcessIdentity = z.object({
  host: z.string(),
  boot: z.string(),
  pidNamespace: z.string(),
  pid: z.int(),
  /** Clock ticks from boot to its start. */
  started: z.string(),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/** How often an owner renews its heartbeat. */
export const heartbeatMs = 10_000;

/** After so much silence an owner that cannot be seen from here is dead. */
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
 * Decides whether a process may still write. Where its pid means the same process here, the kernel knows. Elsewhere its
 * heartbeat tells: on another machine, in another container, and where the record is damaged.
 * @param silent ms since its last heartbeat, by the clock of the file system.
 */
export async function isAlive(identity: ProcessIdentity | undefined, silent: () => Promise<number>): Promise<boolean> {
  const seen = identity && look(identity);
  return seen ?? (await silent()) < silenceMs;
}

/**
 * Returns undefined where this process cannot know. A host name alone proves nothing: containers share names, and a
 * machine that was started anew looks like another one of that name.
 */
function look({ host, boot, pidNamespace, pid, started }: ProcessIdentity): boolean | undefined {
  const here = thisProcess();
  const shared = boot === here.boot && pidNamespace === here.pidNamespace && host === here.host;
  if (!shared) return undefined;
  if (!exists(pid)) return false;
  const status = statusOf(pid);
  // Without /proc, or where it hides the processes of others, the number may be another's by now.
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

/** Reads proc(5) stat. A process that has ended stays listed until its parent has asked for its status. */
function statusOf(pid: number): { started: string; ended: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name stands in brackets and may hold anything. The state is field 3, the start field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { started: fields[19] ?? '', ended: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return undefined;
  }
}

/**
 * Returns the ms since a file was written, by the clock that stamps files in `folder`. Machines that share a disk may
 * disagree about the time.
 */
export async function silenceOf(fs: FileSystem, folder: string, modified: Date): Promise<number> {
  const probe = join(folder, `${process.pid}-${randomBytes(6).toString('hex')}.clock`);
  let now = Date.now();
  try {
    await (await fs.open(probe, 'wx')).close();
    now = (await fs.stat(probe)).mtimeMs;
  } catch {
    // A full or read-only disk: the clock of this machine has to do.
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
