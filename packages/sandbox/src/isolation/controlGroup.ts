import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { hostMemory, sessionsShare } from '../lease/hostMemory.js';
import type { Limits } from './enclosure.js';

/** Limits of a group of processes as a whole. */
export type GroupLimit = 'memoryBytes' | 'cpus' | 'processes';

/** A cgroup directory, and the limits that work in it. */
export interface GroupPlace {
  readonly directory: string;
  readonly version: 1 | 2;
  readonly limits: readonly GroupLimit[];
}

const controllers = { memoryBytes: 'memory', cpus: 'cpu', processes: 'pids' } as const satisfies Record<
  GroupLimit,
  string
>;
const groupLimits = Object.keys(controllers) as GroupLimit[];
const periodUs = 100_000;

/** Files and values that set a limit. Bracketed files may be missing: not every kernel accounts swap. */
function settings(version: 1 | 2, limit: GroupLimit, limits: Limits): readonly (readonly [string, string | number])[] {
  const value = limits[limit];
  const quota = Math.max(1_000, Math.round(value * periodUs));
  if (limit === 'processes') return [['pids.max', value]];
  if (version === 2) {
    if (limit === 'cpus') return [['cpu.max', `${quota} ${periodUs}`]];
    return [
      ['memory.max', value],
      ['[memory.swap.max]', 0],
    ];
  }
  if (limit === 'cpus') {
    return [
      ['cpu.cfs_period_us', periodUs],
      ['cpu.cfs_quota_us', quota],
    ];
  }
  return [
    ['memory.limit_in_bytes', value],
    ['[memory.memsw.limit_in_bytes]', value],
  ];
}

export type Member = 'agent' | 'system';
const members: readonly Member[] = ['agent', 'system'];

/** Reserves a share, so that the agent's programs cannot starve the system's. */
function agentLimits(limits: Limits): Limits {
  const { memoryBytes, processes } = limits;
  return {
    ...limits,
    memoryBytes: memoryBytes - Math.min(2 ** 29, Math.floor(memoryBytes / 4)),
    processes: processes - Math.min(128, Math.floor(processes / 4)),
  };
}

/** A session's groups: one per hierarchy, with a subgroup per member. */
export class ControlGroup {
  private constructor(
    /** A process joins by writing its PID. */
    readonly memberFiles: Readonly<Record<Member, readonly string[]>>,
    readonly directories: readonly string[],
    readonly limits: readonly GroupLimit[],
  ) {}

  /** Returns the paths, to be recorded before creation so that a crash leaves no unknown group. */
  static directories(places: readonly GroupPlace[], name: string): string[] {
    const groups = places.map(({ directory }) => join(directory, allSessions, name));
    return [...groups, ...groups.flatMap((group) => members.map((member) => join(group, member)))];
  }

  static create(places: readonly GroupPlace[], name: string, limits: Limits): ControlGroup {
    const directories = ControlGroup.directories(places, name);
    try {
      for (const [index, place] of places.entries()) {
        const { version, limits: limitNames } = place;
        const directory = directories[index]!;
        makeWithin(place, directory);
        for (const limit of limitNames) set(directory, version, limit, limits);
        // Version 2 needs delegated controllers for limits of subgroups.
        if (version === 2) for (const limit of limitNames) enable(directory, controllers[limit]);
        for (const member of members) mkdirSync(join(directory, member));
        for (const limit of limitNames) {
          if (limit !== 'cpus') set(join(directory, 'agent'), version, limit, agentLimits(limits));
        }
      }
    } catch (cause) {
      for (const directory of directories.toReversed()) tryRemove(directory);
      throw new GyreError('infra', `cannot create the control group ${name}: ${String(cause)}`, {
        part: 'machine',
        cause,
      });
    }
    const files = (member: Member) => places.map((_, index) => join(directories[index]!, member, 'cgroup.procs'));
    return new ControlGroup(
      { agent: files('agent'), system: files('system') },
      directories,
      places.flatMap((place) => place.limits),
    );
  }
}

/** Bounds the total of all gyre processes. */
const allSessions = 'gyre';

/** Retries, since another process may just have removed the empty parent. */
function makeWithin({ version, limits }: GroupPlace, directory: string): void {
  const parent = dirname(directory);
  for (let tries = 0; ; tries++) {
    try {
      mkdirSync(parent, { recursive: true });
      if (limits.includes('memoryBytes')) {
        const memoryBytes = Math.floor(hostMemory() * sessionsShare);
        set(parent, version, 'memoryBytes', { memoryBytes, cpus: 0, processes: 0, diskBytes: 0 });
      }
      if (version === 2) for (const limit of limits) enable(parent, controllers[limit]);
      return mkdirSync(directory);
    } catch (error) {
      const isGone = ['ENOENT', 'ENODEV'].includes((error as NodeJS.ErrnoException).code ?? '');
      if (!isGone || tries === 10) throw error;
    }
  }
}

/** Kills members and removes groups. Throws 'infra' if one remains. */
export async function removeGroups(directories: readonly string[]): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    // Children before their parents.
    const remaining = directories.toReversed().filter((directory) => !tryRemove(directory));
    if (remaining.length === 0) break;
    if (attempt === 100)
      throw new GyreError('infra', `cannot remove control groups: ${remaining.join(', ')}`, { part: 'machine' });
    // A process remains a member for a moment after its end.
    if (attempt > 2) for (const directory of remaining) killMembers(directory);
    await sleep(Math.min(2 ** attempt, 50));
  }
  for (const all of new Set(directories.map(dirname))) if (basename(all) === allSessions) tryRemove(all);
}

function killMembers(directory: string): void {
  for (const pid of readText(join(directory, 'cgroup.procs')).split('\n')) {
    try {
      if (pid) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
}

function tryRemove(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch {
    return !existsSync(directory);
  }
}

function set(directory: string, version: 1 | 2, limit: GroupLimit, limits: Limits): void {
  for (const [name, value] of settings(version, limit, limits)) {
    const optional = name.startsWith('[');
    const file = join(directory, optional ? name.slice(1, -1) : name);
    if (optional && !existsSync(file)) continue;
    try {
      writeFileSync(file, String(value));
    } catch (error) {
      // A quota above the parent's is refused; then the parent's applies.
      if (limit !== 'cpus' || (error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
    }
  }
}

/** Finds places by trying: in containers and for ordinary users, the file system shows more than is permitted. */
export function findGroupPlaces(proc = '/proc/self'): GroupPlace[] {
  const places: GroupPlace[] = [];
  const missing = new Set(groupLimits);
  for (const { version, mounted, ownGroup, controllers: present } of hierarchies(proc)) {
    const candidates = groupLimits.filter(
      (limit) => missing.has(limit) && (version === 2 || present.includes(controllers[limit])),
    );
    // Version 2 forbids limits below a group with processes, so go up.
    for (let directory = ownGroup; candidates.length > 0; directory = dirname(directory)) {
      const limits = tryPlace(directory, version, candidates);
      if (limits.length > 0) {
        places.push({ directory, version, limits });
        for (const limit of limits) missing.delete(limit);
        break;
      }
      if (version === 1 || relative(mounted, directory) === '') break;
    }
  }
  return places;
}

function tryPlace(directory: string, version: 1 | 2, candidates: readonly GroupLimit[]): GroupLimit[] {
  const probe = join(directory, `gyre-probe-${process.pid}`);
  const generous: Limits = { memoryBytes: 2 ** 30, cpus: 1, processes: 64, diskBytes: 0 };
  try {
    if (version === 2) for (const limit of candidates) enable(directory, controllers[limit]);
    mkdirSync(probe);
  } catch {
    return [];
  }
  try {
    const limits = candidates.filter((limit) => {
      try {
        set(probe, version, limit, generous);
        return true;
      } catch {
        return false;
      }
    });
    // Joining needs its own permission.
    if (limits.length > 0)
      execFileSync('/bin/sh', ['-c', 'echo $$ > "$1"', 'sh', join(probe, 'cgroup.procs')], { stdio: 'ignore' });
    return limits;
  } catch {
    return [];
  } finally {
    tryRemove(probe);
  }
}

function enable(directory: string, controller: string): void {
  try {
    writeFileSync(join(directory, 'cgroup.subtree_control'), `+${controller}`);
  } catch {
    // Setting the limit shows whether it works.
  }
}

interface Hierarchy {
  readonly version: 1 | 2;
  readonly mounted: string;
  readonly ownGroup: string;
  readonly controllers: readonly string[];
}

function hierarchies(proc: string): Hierarchy[] {
  const groups = readText(join(proc, 'cgroup'))
    .trim()
    .split('\n')
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line))
    .flatMap((match) => (match ? [{ names: match[1]!.split(',').filter(Boolean), path: match[2]! }] : []));
  const mounts = readText(join(proc, 'mountinfo')).trim().split('\n');
  return mounts.flatMap((line): Hierarchy[] => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '/', mounted = ''] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    if (type !== 'cgroup' && type !== 'cgroup2') return [];
    const names = type === 'cgroup' ? options.split(',') : [];
    const group = groups.find((each) =>
      type === 'cgroup2' ? each.names.length === 0 : each.names.some((name) => names.includes(name)),
    );
    if (!group) return [];
    // A container may mount only its part of the tree.
    const path = root !== '/' && group.path.startsWith(root) ? group.path.slice(root.length) : group.path;
    return [{ version: type === 'cgroup' ? 1 : 2, mounted, ownGroup: join(mounted, path), controllers: names }];
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
