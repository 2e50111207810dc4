import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Limits } from './enclosure.js';
import type { SessionDirectory } from './sessionDirectory.js';
import { systemFiles } from './systemFiles.js';

/** What a session's programs take their machine and themselves for. The same everywhere, so that screens are the same. */
const hostname = 'gyre';
/** The user inside. */
export const agent = { uid: 1000, gid: 1000, name: 'agent', home: '/home/agent' } as const;

export interface WallOptions {
  readonly directory: SessionDirectory;
  readonly limits: Limits;
  /** Paths of the host that programs inside may read, where they are on the host. */
  readonly readable: readonly string[];
  /** Whether programs inside may make namespaces of their own, as Chromium's sandbox does. */
  readonly nestedNamespaces: boolean;
  /** Devices of the host that programs inside may use, where they are there. */
  readonly devices: readonly string[];
}

/**
 * Arguments of bubblewrap for one session, up to the program. What is not named here is not there: the view starts empty.
 * Everything is read-only but the home, /tmp, /dev/shm and /run/user/1000, the last three in memory.
 */
export function walls({ directory, limits, readable, nestedNamespaces, devices }: WallOptions): string[] {
  const { home, etc } = directory;
  return [
    ...['user', 'pid', 'ipc', 'uts', 'net'].map((name) => `--unshare-${name}`),
    '--unshare-cgroup-try',
    ...['--uid', String(agent.uid), '--gid', String(agent.gid), '--hostname', hostname, '--clearenv'],
    // The first process has no other: it cannot be killed from inside, and its end is the end of all.
    ...['--die-with-parent', '--new-session', '--as-pid-1'],
    ...(nestedNamespaces ? [] : ['--disable-userns']),
    ...systemFiles(),
    ...['--perms', '0755', '--dir', '/run', '--ro-bind', etc, '/run/gyre'],
    ...writeIdentity(etc).flatMap((file) => ['--symlink', `../run/gyre/${file}`, `/etc/${file}`]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...devices.flatMap((path) => ['--dev-bind-try', path, path]),
    ...scratch('/dev/shm', '1777', limits),
    ...['--remount-ro', '/dev'],
    ...scratch('/tmp', '1777', limits),
    ...['--perms', '0755', '--dir', '/run/user'],
    ...scratch(`/run/user/${agent.uid}`, '0700', limits),
    ...['--perms', '0755', '--dir', '/home', '--bind', home, agent.home],
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...['--remount-ro', '/', '--chdir', agent.home],
  ];
}

/** Room to write in memory. */
function scratch(path: string, mode: string, { diskBytes }: Limits): string[] {
  return ['--perms', mode, '--size', String(diskBytes), '--tmpfs', path];
}

/** Writes the files of /etc that say who is who; returns their names. */
function writeIdentity(etc: string): string[] {
  const { uid, gid, name, home } = agent;
  const files = {
    passwd: `root:x:0:0:root:/:/usr/sbin/nologin\n${name}:x:${uid}:${gid}:${name}:${home}:/bin/bash\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n`,
    group: `root:x:0:\n${name}:x:${gid}:\nnogroup:x:65534:\n`,
    hostname: `${hostname}\n`,
    hosts: `127.0.0.1 localhost ${hostname}\n::1 localhost\n`,
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
    'machine-id': '67797265677972656779726567797265\n',
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(etc, file), text, { mode: 0o644 });
  return Object.keys(files);
}
