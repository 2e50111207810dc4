import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionDirectory } from './sessionDirectory.js';

/** What a session's programs take their machine and themselves for. The same everywhere, so that screens are the same. */
export const hostname = 'gyre';
/** The user inside. Its name is a term of the lease. */
export const agent = { uid: 1000, gid: 1000 } as const;
export const defaultUser = 'agent';

/** Returns the home of a user inside. */
export const homeOf = (user: string): string => `/home/${user}`;

/**
 * Runs the programs that a verifier reads: the browser, the X server, the window manager, the accessibility bus. The agent's
 * programs cannot signal or inspect its processes, or write its files. It shares the agent's group, so that each can read
 * what the other leaves in the home.
 */
export const system = { uid: 999, gid: agent.gid, name: 'system', home: '/run/system' } as const;
/** Where programs share memory. */
export const sharedMemory = '/dev/shm';

/** One path of what a session sees. */
export type Place =
  /** A file or directory of the host; read-only unless said otherwise. */
  | { readonly kind: 'show'; readonly path: string; readonly from: string; readonly writable?: boolean }
  | { readonly kind: 'link'; readonly path: string; readonly to: string }
  /** A directory to put others into. */
  | { readonly kind: 'folder'; readonly path: string }
  /** Room to write in memory, of the user inside; as large as the disk may be. */
  | { readonly kind: 'memory'; readonly path: string; readonly mode: '1777' | '0700' }
  /** Empty, and closed to everybody: it hides what would be there. */
  | { readonly kind: 'closed'; readonly path: string };

interface ViewedSession {
  readonly directory: SessionDirectory;
  readonly user: string;
  readonly readable: readonly string[];
}

/**
 * What a session sees beside /proc and /dev, in the order in which it is to be laid out. What is not named is not there: the
 * view starts empty. Everything is read-only but the home, /tmp, /dev/shm and the runtime directory, which
 * share one disk.
 *
 * @param session its directory, the name of its user, and paths of the host that programs inside may read, where they are on the host.
 * @param files where programs and libraries are.
 */
export function view({ directory, user, readable }: ViewedSession, files: readonly Place[]): Place[] {
  const home = homeOf(user);
  return [
    ...files,
    ...identity(directory.etc, user),
    // Where the disk is one of the host, memory that programs share does not belong there; it is counted all the same.
    directory.inMemory
      ? { kind: 'show', path: sharedMemory, from: directory.place('shm'), writable: true }
      : { kind: 'memory', path: sharedMemory, mode: '1777' },
    { kind: 'show', path: '/tmp', from: directory.place('tmp'), writable: true },
    ...['/run', '/run/user'].map((path) => ({ kind: 'folder', path }) as const),
    { kind: 'show', path: runtimeFolder, from: directory.place('run'), writable: true },
    { kind: 'show', path: system.home, from: directory.system, writable: true },
    { kind: 'folder', path: '/home' },
    { kind: 'show', path: home, from: directory.home, writable: true },
    // A mount point cannot be renamed or replaced by a link: nothing leads the browser's downloads elsewhere.
    ...directory.pinned.map((name) => {
      return { kind: 'show', path: join(home, name), from: join(directory.home, name), writable: true } as const;
    }),
    ...readable.map((path) => ({ kind: 'show', path, from: path }) as const),
  ];
}

/** Of the agent's programs. */
export const runtimeFolder = `/run/user/${agent.uid}`;

const { uid, gid } = agent;
const nologin = '/usr/sbin/nologin';
const identityFiles = (user: string): Readonly<Record<string, string>> => ({
  passwd: [
    `root:x:0:0:root:/:${nologin}`,
    `${user}:x:${uid}:${gid}:${user}:${homeOf(user)}:/bin/bash`,
    `${system.name}:x:${system.uid}:${system.gid}:${system.name}:${system.home}:${nologin}`,
    `nobody:x:65534:65534:nobody:/:${nologin}\n`,
  ].join('\n'),
  group: `root:x:0:\n${user}:x:${gid}:\nnogroup:x:65534:\n`,
  hostname: `${hostname}\n`,
  hosts: `127.0.0.1 localhost ${hostname}\n::1 localhost\n`,
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  'machine-id': '67797265677972656779726567797265\n',
});
/** The files of /etc that say who is who: a session has its own. */
export const identityNames: readonly string[] = Object.keys(identityFiles(defaultUser));

function identity(etc: string, user: string): Place[] {
  return Object.entries(identityFiles(user)).map(([file, text]) => {
    const from = join(etc, file);
    writeFileSync(from, text, { mode: 0o644 });
    return { kind: 'show', path: `/etc/${file}`, from };
  });
}
