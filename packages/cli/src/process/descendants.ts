import { readFileSync, readdirSync } from 'node:fs';

/** Returns the processes below this one, on Linux; none elsewhere. */
export function descendants(): number[] {
  const children = new Map<number, number[]>();
  for (const pid of pids()) {
    const parent = parentOf(pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const below = (pid: number): number[] => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(process.pid);
}

/** Kills the processes below this one in its own process group. Others end by themselves when this one does. */
export function killPartners(): void {
  const group = statOf(process.pid)[2];
  for (const pid of descendants()) {
    if (statOf(pid)[2] !== group) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
}

/** Returns the memory of the processes below this one in bytes; shared pages count once. */
export function descendantsMemory(): number {
  let kibibytes = 0;
  for (const pid of descendants()) {
    const found = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`));
    kibibytes += Number(found?.[1] ?? 0);
  }
  return kibibytes * 1024;
}

/** Returns the processor time of the processes below this one and their waited-for children, in seconds. */
export function descendantsCpu(): number {
  let ticks = 0;
  for (const pid of descendants()) {
    // User and system time, of the process and its ended children: fields 14 to 17 of proc(5). `statOf` starts with the third.
    ticks += statOf(pid)
      .slice(11, 15)
      .reduce((sum, field) => sum + Number(field), 0);
  }
  return ticks / ticksPerSecond;
}

/** USER_HZ, the same for every program on Linux. */
const ticksPerSecond = 100;

function pids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function parentOf(pid: number): number | undefined {
  const [state, parent] = statOf(pid);
  return state === undefined || state === '' || state === 'Z' ? undefined : Number(parent);
}

/** Returns the fields of proc(5)'s stat from the state on; none for an ended process. */
function statOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`);
  // The program's name stands in brackets and may hold any character.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Returns an empty text if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
