import { execFileSync } from 'node:child_process';

/** Processes below this one whose command line matches. The parts of a session run as a user whom its own programs cannot signal. */
export function partsBelow(pattern: RegExp): number[] {
  const rows = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { maxBuffer: 2 ** 26 })
    .toString()
    .split('\n')
    .flatMap((row) => {
      const [, pid, parent, line = ''] = /^\s*(\d+)\s+(\d+)\s(.*)$/.exec(row) ?? [];
      return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), line }];
    });
  const below = new Set([process.pid]);
  for (let size = 0; size !== below.size;) {
    size = below.size;
    for (const { pid, parent } of rows) if (below.has(parent)) below.add(pid);
  }
  return rows.flatMap(({ pid, line }) => (pid !== process.pid && below.has(pid) && pattern.test(line) ? [pid] : []));
}

/** Kills them, except those that are spared. */
export function killParts(pattern: RegExp, spared: readonly number[] = []): void {
  for (const pid of partsBelow(pattern)) {
    if (spared.includes(pid)) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // One of those before has taken it along.
    }
  }
}
