import { readFileSync } from 'node:fs';

/** Identifies a process across reused PIDs and reboots. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot. */
  readonly startTime: string;
  readonly boot: string;
}

/** Returns null for a missing process or a zombie. */
export function readProcessIdentity(pid: number): ProcessIdentity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Field 2, the name, may contain anything; the last parenthesis ends it. Field 22 is the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return { pid, startTime: fields[19] ?? '', boot };
  } catch {
    return null;
  }
}

export function isAlive(process: ProcessIdentity): boolean {
  const now = readProcessIdentity(process.pid);
  return now?.startTime === process.startTime && now.boot === process.boot;
}
