import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionDirectory } from './sessionDirectory.js';

/** Constant, for reproducible screens. */
export const hostname = 'gyre';
export const agent = { uid: 1000, gid: 1000 } as const;
export const defaultUser = 'agent';

export const homeOf = (user: string): string => `/home/${user}`;

/**
 * Runs what a verifier reads: browser, X server, window manager, accessibility bus. The agent's programs cannot signal
 * or inspect it, or write its files. They share a group, to read each other's files in the home.
 */
export const system = { uid: 999, gid: agent.gid, name: 'system', home: '/run/system' } as const;
export const sharedMemory = '/dev/shm';

/** One path of a session's view. */
export type Place =
  /** Read-only by default. */
  | { readonly kind: 'show'; readonly path: string; readonly from: string; readonly writable?: boolean }
  | { readonly kind: 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'folder'; readonly path: string }
  /** As large as the disk limit. */
  | { readonly kind: 'memory'; readonly path: string; readonly mode: '1777' | '0700' }
  /** Hides what would be there. */
  | { readonly kind: 'closed'; readonly path: string };

interface ViewedSession {
  readonly directory: SessionDirectory;
  readonly user: string;
  readonly readable: readonly string[];
}

/**
 * Returns a session's view in mount order, without /proc and /dev. It starts empty: what is not listed does not exist.
 * Only home, /tmp, /dev/shm and the runtime directory, on one disk, are writable.
 */
export function view({ directory, user, readable }: ViewedSession, files: readonly Place[]): Place[] {
  const home = homeOf(user);
  return [
    ...files,
    ...identity(directory.etc, user),
    sharedMemoryOf(directory),
    { kind: 'show', path: '/tmp', from: directory.place('tmp'), writable: true },
    ...['/run', '/run/user'].map((path) => ({ kind: 'folder', path }) as const),
    { kind: 'show', path: runtimeFolder, from: directory.place('run'), writable: true },
    { kind: 'show', path: system.home, from: directory.system, writable: true },
    { kind: 'folder', path: '/home' },
    { kind: 'show', path: home, from: directory.home, writable: true },
    // Mount points cannot be renamed or replaced by links, so nothing redirects the browser's downloads.
    ...directory.pinned.map((name) => {
      return { kind: 'show', path: join(home, name), from: join(directory.home, name), writable: true } as const;
    }),
    ...readable.map((path) => ({ kind: 'show', path, from: path }) as const),
  ];
}

/** Shared memory does not belong on the host's disk, but counts towards its limit. */
export const sharedMemoryOf = (directory: SessionDirectory): Place =>
  directory.inMemory
    ? { kind: 'show', path: sharedMemory, from: directory.place('shm'), writable: true }
    : { kind: 'memory', path: sharedMemory, mode: '1777' };

/** As `view`, over a writable root of the session's own. */
export function rootedView({ directory, user, readable }: ViewedSession, base: string): Place[] {
  return [
    { kind: 'show', path: '/', from: base, writable: true },
    { kind: 'show', path: runtimeFolder, from: directory.place('run'), writable: true },
    { kind: 'show', path: system.home, from: directory.system, writable: true },
    { kind: 'show', path: homeOf(user), from: directory.home, writable: true },
    ...readable.map((path) => ({ kind: 'show', path, from: path }) as const),
  ];
}

export const runtimeFolder = `/run/user/${agent.uid}`;

const { uid, gid } = agent;
const nologin = '/usr/sbin/nologin';
const identityFiles = (user: string) => ({
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
/** Files of /etc in a root of the session's own. */
export const rootIdentity = {
  ...identityFiles(defaultUser),
  passwd: [
    'root:x:0:0:root:/root:/bin/bash',
    `${system.name}:x:${system.uid}:${system.gid}:${system.name}:${system.home}:${nologin}`,
    `nobody:x:65534:65534:nobody:/:${nologin}\n`,
  ].join('\n'),
} as const satisfies Readonly<Record<string, string>>;
export const identityNames: readonly string[] = Object.keys(identityFiles(defaultUser));

function identity(etc: string, user: string): Place[] {
  return Object.entries(identityFiles(user)).map(([file, text]) => {
    const from = join(etc, file);
    writeFileSync(from, text, { mode: 0o644 });
    return { kind: 'show', path: `/etc/${file}`, from };
  });
}
