import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { confine, type Confinement } from '../isolation/browser/confinement.js';
import type { Command, Enclosure } from '../isolation/enclosure.js';
import { defaultBase, type HostUser, SessionDirectory } from '../isolation/sessionDirectory.js';
import { browserFlags, type Clock, type Network } from './flags.js';

export interface BrowserPlace {
  readonly command: Command;
  /** Files within an enclosure go with it. */
  readonly remove: () => void;
}

export interface PlaceOptions {
  readonly executable: string;
  readonly env: NodeJS.ProcessEnv;
  readonly network: Network;
  readonly clock: Clock;
  readonly enclosure?: Enclosure | undefined;
  readonly downloads?: string | undefined;
}

/**
 * Removes the browser's files when it ends, even if this process is dead. It keeps root if the browser has its own
 * user: the browser can neither stop it nor change what it removes.
 */
const keeper = 'files=$1; shift; "$@"; rm -rf --one-file-system "$files"';

export function isIsolated({ enclosure }: Pick<PlaceOptions, 'enclosure'>): boolean {
  return enclosure !== undefined && enclosure.kind !== 'none';
}

/** Runs the browser as the enclosure's system user (never root), with a profile out of the agent's reach. */
export function placeWithin(enclosure: Enclosure, { executable, network, clock }: PlaceOptions): BrowserPlace {
  const profile = `${enclosure.system.home}/.gyre-browser-${randomUUID()}`;
  const browser = [executable, ...browserFlags({ profile, network, clock, sandbox: true })];
  return {
    command: enclosure.command('/bin/sh', ['-c', keeper, 'gyre-browser', profile, ...browser], { as: 'system' }),
    remove: () => undefined,
  };
}

/** Runs the browser on the host. Throws `storage`. */
export function placeOnHost(options: PlaceOptions, confinement: Confinement): BrowserPlace {
  const { executable, env, network, clock, enclosure, downloads } = options;
  // The user is exclusive while the directory exists.
  const directory = confinement.ownUser ? SessionDirectory.create(reachableBase()) : undefined;
  const files = directory?.path ?? mkdtempSync(join(tmpdir(), 'gyre-browser-'));
  const profile = directory?.system ?? files;
  const user = directory?.systemUser;
  if (directory) chmodSync(directory.system, 0o700);
  if (user && enclosure && downloads !== undefined) giveDownloads(downloads, user);
  const flags = browserFlags({ profile, network, clock, sandbox: confinement.sandbox });
  const browser = confine([executable, ...flags], confinement, user);
  return {
    command: {
      file: '/bin/sh',
      args: ['-c', keeper, 'gyre-browser', files, ...browser],
      env: { ...browserEnv(env), HOME: profile, TMPDIR: profile },
      cwd: '/',
    },
    remove: () => rmSync(files, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
  };
}

/** Returns the base of session directories, or its equivalent in `/tmp` if other users cannot enter it. */
function reachableBase(): string {
  const base = defaultBase();
  return canBeEntered(dirname(base)) ? base : join('/tmp', basename(base));
}

function canBeEntered(folder: string): boolean {
  const above = dirname(folder);
  return (statSync(folder).mode & 0o001) !== 0 && (above === folder || canBeEntered(above));
}

function browserEnv(env: NodeJS.ProcessEnv): Record<string, string> {
  const allowedNames = ['PATH', 'LD_LIBRARY_PATH', 'FONTCONFIG_FILE', 'FONTCONFIG_PATH'];
  return {
    ...Object.fromEntries(allowedNames.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    LANG: 'C.UTF-8',
    TZ: 'UTC',
  };
}

/** Makes the downloads of an unisolated session writable, but nothing else in its home. */
function giveDownloads(downloads: string, { uid, gid }: HostUser): void {
  mkdirSync(downloads, { recursive: true });
  chownSync(downloads, uid, gid);
  const home = dirname(downloads);
  chownSync(home, 0, gid);
  chmodSync(home, 0o710);
}
