import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The environment variable that marks the descendants of a program. */
export const markVariable = 'GYRE_STARTED_BY';

/** The process that was started, as leader of a group or a session. Its number may be another's once it has ended. */
export interface Leader {
  readonly pid: number;
  /** When it started, as /proc says it; undefined where it had ended already. */
  readonly started: string | undefined;
}

/** What belongs together: what a program started, directly or not. */
export interface Tree {
  readonly leader?: Leader;
  /** Beginning of the value of `markVariable`. */
  readonly mark: string;
}

/** A tree of more processes than this is not asked to end: it may be growing faster than it is counted. */
const bomb = 500;

/**
 * Ends a tree: asks with SIGTERM, waits `graceMs`, then kills until nothing is left. A tree is the leader's process group
 * and session, what carries the mark in the environment it was started with, and everything below these by parenthood.
 * A program gets away only if it leaves the group, has its parents die and clears its environment, all three; walls end
 * that one, a bare enclosure does not. Where there is no /proc, only the group is ended.
 */
export async function endTree(tree: Tree, graceMs: number): Promise<void> {
  if (processes() === undefined) return endGroup(tree.leader?.pid, graceMs);
  const deadline = performance.now() + graceMs;
  if (graceMs > 0) sweep(tree, 'SIGTERM');
  for (let pause = 1; performance.now() < deadline; pause = Math.min(50, 2 * pause)) {
    const left = members(tree).length;
    if (left === 0) return;
    if (left > bomb) break;
    await sleep(Math.min(pause, Math.max(0, deadline - performance.now())));
  }
  // What is stopped starts nothing more.
  for (let known = -1, found = 0; found > known;) {
    known = found;
    found = sweep(tree, 'SIGSTOP');
    if (found === 0) return;
  }
  for (let pause = 1; pause < 2_000 && sweep(tree, 'SIGKILL') > 0; pause *= 2) await sleep(pause);
}

/** A process that was started just now. */
export function leaderOf(pid: number): Leader {
  return { pid, started: processOf(pid)?.started };
}

/** Processes of a tree that have not ended: their ids on the host. */
export function members(tree: Tree, found: (process: Process) => void = () => {}): number[] {
  const all = processes() ?? [];
  const first = all.find(({ pid }) => pid === tree.leader?.pid);
  const leader = first === undefined || first.started === tree.leader?.started ? tree.leader?.pid : undefined;
  const pids = new Set<number>();
  for (const process of all) {
    const { pid, group, session } = process;
    const leads = pid === leader || group === leader || session === leader;
    if (!leads && !carries(pid, tree.mark)) continue;
    pids.add(pid);
    found(process);
  }
  for (let before = -1; before < pids.size;) {
    before = pids.size;
    for (const process of all) {
      if (pids.has(process.pid) || !pids.has(process.parent)) continue;
      pids.add(process.pid);
      found(process);
    }
  }
  return [...pids];
}

/** Sends a signal to all members as they are found, to whole groups at once: that is quicker than they can fork. */
function sweep(tree: Tree, name: NodeJS.Signals): number {
  const groups = new Set<number>();
  return members(tree, ({ pid, group }) => {
    if (groups.has(group)) return;
    groups.add(group);
    if (group <= 1 || !signal(-group, name)) signal(pid, name);
  }).length;
}

/** Kills the processes of a group but its leader. Returns how many there were; 0 where the host has no /proc. */
export function killFollowers(leader: number): number {
  const followers = (processes() ?? []).filter(({ pid, group }) => group === leader && pid !== leader);
  for (const { pid } of followers) signal(pid, 'SIGKILL');
  return followers.length;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly started: string;
}

/** Everything that runs and is no zombie; undefined where the host has no /proc. */
function processes(): Process[] | undefined {
  let names;
  try {
    names = readdirSync('/proc');
  } catch {
    return undefined;
  }
  const found: Process[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const one = processOf(Number(name));
    if (one !== undefined) found.push(one);
  }
  return found;
}

/** Undefined where it has ended. */
function processOf(pid: number): Process | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program stands in brackets and may hold anything, brackets too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  if (state === undefined || state === '' || state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), started: fields[19] ?? '' };
}

function carries(pid: number, mark: string): boolean {
  return `\0${read(`/proc/${pid}/environ`)}`.includes(`\0${markVariable}=${mark}`);
}

/** Reads a file in /proc; empty where the process has ended or is another user's. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function endGroup(leader: number | undefined, graceMs: number): Promise<void> {
  if (leader === undefined) return;
  if (graceMs > 0 && signal(-leader, 'SIGTERM')) await sleep(graceMs);
  signal(-leader, 'SIGKILL');
}
