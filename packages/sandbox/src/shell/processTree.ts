import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export const markVariable = 'GYRE_STARTED_BY';

/** The PID may be reused after its end. */
export interface Leader {
  readonly pid: number;
  /** From /proc; undefined if already ended. */
  readonly started: string | undefined;
}

export interface Tree {
  readonly leader?: Leader;
  /** Prefix of `markVariable`'s value. */
  readonly mark: string;
}

/** A fork bomb gets no grace: it grows faster than it is counted. */
const bomb = 500;

/**
 * Ends a tree: SIGTERM, `graceMs`, then SIGKILL until nothing is left. It is the leader's group and session, processes
 * with the mark in their initial environment, and all their descendants. To escape, a program must leave the group,
 * outlive its parents and clear its environment; then only isolation ends it. Without /proc, only the group is ended.
 */
export async function endTree(tree: Tree, graceMs: number): Promise<void> {
  if (processes() === undefined) return endGroup(tree.leader?.pid, graceMs);
  const deadline = performance.now() + graceMs;
  if (graceMs > 0) sweep(tree, 'SIGTERM');
  for (let pause = 1; performance.now() < deadline; pause = Math.min(50, 2 * pause)) {
    const remaining = members(tree).length;
    if (remaining === 0) return;
    if (remaining > bomb) break;
    await sleep(Math.min(pause, Math.max(0, deadline - performance.now())));
  }
  // Stopped processes cannot fork.
  for (let previous = -1, stopped = 0; stopped > previous;) {
    previous = stopped;
    stopped = sweep(tree, 'SIGSTOP');
    if (stopped === 0) return;
  }
  for (let pause = 1; pause < 2_000 && sweep(tree, 'SIGKILL') > 0; pause *= 2) await sleep(pause);
}

export function leaderOf(pid: number): Leader {
  return { pid, started: processOf(pid)?.started };
}

/** Returns host PIDs, without zombies. */
export function members(tree: Tree, onMember: (process: Process) => void = () => {}): number[] {
  const running = processes() ?? [];
  const first = running.find(({ pid }) => pid === tree.leader?.pid);
  const leader = first === undefined || first.started === tree.leader?.started ? tree.leader?.pid : undefined;
  const pids = new Set<number>();
  for (const process of running) {
    const { pid, group, session } = process;
    const leads = pid === leader || group === leader || session === leader;
    if (!leads && !carries(pid, tree.mark)) continue;
    pids.add(pid);
    onMember(process);
  }
  for (let before = -1; before < pids.size;) {
    before = pids.size;
    for (const process of running) {
      if (pids.has(process.pid) || !pids.has(process.parent)) continue;
      pids.add(process.pid);
      onMember(process);
    }
  }
  return [...pids];
}

/** Signals whole groups as members are found, to outrun their forking. */
function sweep(tree: Tree, name: NodeJS.Signals): number {
  const groups = new Set<number>();
  return members(tree, ({ pid, group }) => {
    if (groups.has(group)) return;
    groups.add(group);
    if (group <= 1 || !signal(-group, name)) signal(pid, name);
  }).length;
}

/** Kills a group except its leader; returns their number. */
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

/** Returns undefined without /proc. */
function processes(): Process[] | undefined {
  let names;
  try {
    names = readdirSync('/proc');
  } catch {
    return undefined;
  }
  const living: Process[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const entry = processOf(Number(name));
    if (entry !== undefined) living.push(entry);
  }
  return living;
}

function processOf(pid: number): Process | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name may itself contain parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  if (state === undefined || state === '' || state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), started: fields[19] ?? '' };
}

function carries(pid: number, mark: string): boolean {
  return `\0${read(`/proc/${pid}/environ`)}`.includes(`\0${markVariable}=${mark}`);
}

/** Returns '' if the process has ended or is another user's. */
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
