import { readFileSync, readdirSync } from 'node:fs';

/** Linux only. */
export function descendants(): number[] {
  const children = new Map<number, number[]>();
  for (const pid of pids()) {
    const parent = parentOf(pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const below = (pid: number): number[] => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(process.pid);
}

/** Kills descendants in this process's group. Others end with this process. */
export function killProcessGroup(): void {
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

/** Shared pages count once (PSS). */
export function descendantsMemory(): number {
  let kibibytes = 0;
  for (const pid of descendants()) {
    const match = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`));
    kibibytes += Number(match?.[1] ?? 0);
  }
  return kibibytes * 1024;
}

/** Includes waited-for children. In seconds. */
export function descendantsCpu(): number {
  let ticks = 0;
  for (const pid of descendants()) {
    // Fields 14 to 17 of proc(5). `statOf` starts at field 3.
    ticks += statOf(pid)
      .slice(11, 15)
      .reduce((sum, field) => sum + Number(field), 0);
  }
  return ticks / ticksPerSecond;
}

/** USER_HZ, fixed on Linux. */
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

/** Returns fields from the state on; none for an ended process. */
function statOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`);
  // The program's name, in brackets, may contain any character.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
