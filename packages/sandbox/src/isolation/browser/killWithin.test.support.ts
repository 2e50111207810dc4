import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

interface Runs {
  run(command: string): Promise<{ readonly stdout: string }>;
}

/** Kills matching programs of a session from the host: the session's shell cannot kill system programs. */
export async function killWithin({ shell }: { readonly shell: Runs }, word: string): Promise<number> {
  const { stdout } = await shell.run('readlink /proc/self/ns/pid; cat /proc/self/uid_map');
  const [namespace, ...users] = stdout.trim().split('\n');
  // Chromium's renderers have their own namespaces.
  const [, system] = users.map((line) => line.trim().split(/\s+/).map(Number)).find(([inside]) => inside === 999) ?? [];
  const inside = readdirSync('/proc').filter((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(word)) return false;
      return readlinkSync(`/proc/${pid}/ns/pid`) === namespace || statSync(`/proc/${pid}/task`).uid === system;
    } catch {
      return false;
    }
  });
  for (const pid of inside) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It died with another.
    }
  }
  return inside.length;
}
