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

/** What the processes below this one take of the machine's memory, in bytes; what several share is counted once. */
export function descendantsMemory(): number {
  let kibibytes = 0;
  for (const pid of descendants()) {
    const found = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`));
    kibibytes += Number(found?.[1] ?? 0);
  }
  return kibibytes * 1024;
}

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
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program stands in brackets and may hold anything.
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === undefined || state === '' || state === 'Z' ? undefined : Number(parent);
}

/** Empty where the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
