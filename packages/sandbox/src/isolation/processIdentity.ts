import { readFileSync } from 'node:fs';

/** A process that cannot be mistaken for another with the same number: not later, and not after the machine was started anew. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In clock ticks since the machine was started. */
  readonly startTime: string;
  readonly boot: string;
}

/** Null where there is no such process, or none any more but its status. */
export function identify(pid: number): ProcessIdentity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program stands in brackets and may hold anything; the start time is the 22nd field, the name the 2nd.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return { pid, startTime: fields[19] ?? '', boot };
  } catch {
    return null;
  }
}

export function isAlive(process: ProcessIdentity): boolean {
  const now = identify(process.pid);
  return now?.startTime === process.startTime && now.boot === process.boot;
}
