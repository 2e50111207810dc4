import { readFileSync, readdirSync } from 'node:fs';

/** Processes below this one, by parenthood, on Linux; none elsewhere. */
export function descendants(): number[] {
  const children = new Map<number, number[]>();
  for (const pid of pids()) {
    const parent = parentOf(pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const below = (pid: number): number[] => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(process.pid);
}

/** Kills the processes below this one that are in its own process group: programs that do a part of a command's work. Others end by themselves when it does. */
export function killPartners(): void {
  const group = statOf(process.pid)[2];
  for (const pid of descendants()) {
    if (statOf(pid)[2] !== group) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
}

/** What the processes below this one take of the machine's memory, in bytes; what several share is counted once. */
export function descendantsMemory(): number {
  let kibibytes = 0;
  for (const pid of descendants()) {
    const found = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`));
    kibibytes += Number(found?.[1] ?? 0);
  }
  return kibibytes * 1024;
}

/** Processor time of the processes below this one so far, in seconds, with that of those of them that have ended and were waited for. */
export function descendantsCpu(): number {
  let ticks = 0;
  for (const pid of descendants()) {
    // User and system time of its own, and of its children that have ended: fields 14 to 17 of proc(5), of which `statOf` has the 3rd first.
    ticks += statOf(pid)
      .slice(11, 15)
      .reduce((sum, field) => sum + Number(field), 0);
  }
  return ticks / ticksPerSecond;
}

/** USER_HZ, which is the same for every program on Linux. */
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

/** Fields of proc(5)'s stat from the state on; none of a process that has ended. */
function statOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program stands in brackets and may hold anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Empty where the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
