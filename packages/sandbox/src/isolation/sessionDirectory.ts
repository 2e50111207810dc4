import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { removeGroups } from './controlGroup.js';
import { identify, isAlive, type ProcessIdentity } from './processIdentity.js';
import { runOnHost } from './program.js';

/** What a session has on the host's disk: whose it is, its home, and its own versions of a few files of the system. */
interface Ownership {
  readonly owner: ProcessIdentity;
  /** To be removed with it. */
  readonly groups: readonly string[];
  /** The name of the podman container in which the session is, where there is one. */
  readonly container?: string;
}

export interface HostUser {
  readonly uid: number;
  readonly gid: number;
}

/** A directory of a session that belongs to one of its users. */
interface Part {
  readonly path: string;
  readonly mode: number;
  readonly user: HostUser;
}

/** Nothing else in a base directory is ever removed. */
const prefix = 'session-';

/** How long a directory may be without a word about its owner: it is written right after the directory is made. */
const graceMs = 10_000;

/** Places that a session's programs write to. They share its disk, and its limit. */
const places = { home: 0o750, tmp: 0o1777, shm: 0o1777, run: 0o700 } as const;

/**
 * Directory of one session on the host: `owner.json`, `etc/`, `disk/`, `system/`, and what the walls take. What the agent's programs
 * write lies in `disk/`, what the judged programs write in `system/`.
 */
export class SessionDirectory {
  #inMemory = false;

  private constructor(
    readonly path: string,
    /** Whom the agent's programs run as on the host. As root, every session has users of its own. */
    readonly user: HostUser,
    /** Folders of the home that can be neither moved nor replaced inside. */
    readonly pinned: readonly string[],
  ) {}

  /** Whether root made it: then what is judged has a user of its own. */
  get apart(): boolean {
    return process.getuid?.() === 0;
  }

  /** Whom the programs run as that a verifier reads. */
  get systemUser(): HostUser {
    const { uid, gid } = this.user;
    return this.apart ? { uid: uid + 2 * usersPerRange, gid } : this.user;
  }

  /** Whom root inside is on the host: a stranger, too. */
  get rootUser(): HostUser {
    const { uid, gid } = this.user;
    return this.apart ? { uid: uid + usersPerRange, gid: gid + usersPerRange } : this.user;
  }

  /** Who passes through the disk: what builds the walls, which is root inside, and the group of the session's users. */
  get #passing(): HostUser {
    return { uid: this.rootUser.uid, gid: this.user.gid };
  }

  /** Unlike that of any other session of its base directory. */
  get name(): string {
    return basename(this.path);
  }

  get home(): string {
    return this.place('home');
  }

  /** All that its programs may write, but for what is in memory elsewhere. */
  get disk(): string {
    return join(this.path, 'disk');
  }

  /** Whether the disk is a file system of its own, in memory. */
  get inMemory(): boolean {
    return this.#inMemory;
  }

  place(name: keyof typeof places): string {
    return join(this.disk, name);
  }

  get system(): string {
    return join(this.path, 'system');
  }

  /** What programs of the agent have while they run. */
  get runtime(): string {
    return join(this.path, 'runtime');
  }

  get etc(): string {
    return join(this.path, 'etc');
  }

  /**
   * Throws 'storage' where nothing can be made there, or where it is somebody else's.
   *
   * @param base where all sessions have theirs.
   * @param pinned names of folders of the home that can be neither moved nor replaced inside.
   */
  static create(base: string, pinned: readonly string[] = []): SessionDirectory {
    try {
      ensureBase(base);
      for (;;) {
        const user = sessionUser();
        const path = join(
          base,
          prefix + (process.getuid?.() === 0 ? String(user.uid) : randomBytes(8).toString('hex')),
        );
        if (!claim(path)) continue;
        const directory = new SessionDirectory(path, user, pinned);
        directory.own([]);
        mkdirSync(directory.etc, { mode: 0o755 });
        for (const part of directory.#parts()) directory.#make(part);
        return directory;
      }
    } catch (cause) {
      if (cause instanceof GyreError) throw cause;
      throw new GyreError('storage', `a session cannot have a directory in ${base}: ${String(cause)}`, {
        field: 'directory',
        fix: 'name a directory that can be written',
        cause,
      });
    }
  }

  /** Says whose it is, and which control groups and which container go with it. To be said before these are made. */
  own(groups: readonly string[], container?: string): void {
    const owner = identify(process.pid);
    if (!owner) throw new GyreError('missing', '/proc is not mounted', { fix: 'mount it' });
    const ownership: Ownership = { owner, groups, container };
    writeFileSync(join(this.path, 'owner.json'), JSON.stringify(ownership));
  }

  /**
   * Makes the places that programs write to: in two file systems in memory, each with a bound that the kernel holds, so that who fills
   * one takes nothing from the other. Returns false where that is not allowed; they lie on the disk of the host then.
   */
  async layOutDisk(bytes: number): Promise<boolean> {
    this.#inMemory = await this.#mount(bytes);
    for (const [name, mode] of Object.entries(places))
      this.#make({ path: this.place(name as keyof typeof places), mode, user: this.user });
    for (const name of this.pinned) this.#make({ path: join(this.home, name), mode: pinnedMode, user: this.user });
    return this.#inMemory;
  }

  async #mount(bytes: number): Promise<boolean> {
    if (!this.apart) return false;
    const inodes = Math.max(1_024, Math.ceil(bytes / 4_096));
    const table = (more: string) =>
      this.#parts()
        .map(({ path, mode, user: { uid, gid } }) => {
          const options = `size=${bytes},nr_inodes=${inodes},mode=${mode.toString(8)},uid=${uid},gid=${gid},nosuid,nodev`;
          // As fstab has it: blanks are written as numbers.
          return `gyre ${path.replace(/[\s\\]/g, (sign) => `\\0${sign.charCodeAt(0).toString(8)}`)} tmpfs ${options}${more} 0 0\n`;
        })
        .join('');
    const file = join(this.path, 'fstab');
    const mount = async (more: string): Promise<boolean> => {
      writeFileSync(file, table(more));
      // One program for all: starting one costs more than what it does.
      return (await runOnHost('mount', ['--all', '--fstab', file])).code === 0;
    };
    // Large pages where the kernel has them: the screen of a desktop, a file, is read from them in a third of the time.
    if ((await mount(',huge=within_size')) || (await mount(''))) return true;
    await runOnHost('umount', ['--quiet', ...this.#parts().map(({ path }) => path)]);
    return false;
  }

  /** What of it can be written by the session's users, who pass through the disk; nobody else on the host does. */
  #parts(): readonly Part[] {
    return [
      { path: this.disk, mode: diskMode, user: this.#passing },
      { path: this.system, mode: systemMode, user: this.systemUser },
    ];
  }

  #make({ path, mode, user }: Part): void {
    mkdirSync(path);
    chmodSync(path, mode);
    if (this.apart) chownSync(path, user.uid, user.gid);
  }

  /** Removes it with its mount and its control groups; every process must have ended. Throws 'storage' where something stays. */
  async remove(): Promise<void> {
    await removeDirectory(this.path);
  }
}

/** The other user of the session is of the group: what is judged passes through the home, the agent to the sockets of the system. */
const [diskMode, systemMode, pinnedMode] = [0o710, 0o710, 0o770];

/** Where sessions have their directories unless something else is said. */
export function defaultBase(): string {
  return join(tmpdir(), `gyre-sandbox-${process.getuid?.() ?? 0}`);
}

/**
 * Removes what sessions of processes that are gone have left in a base directory: mounts, control groups, files. Says how
 * many there were.
 */
export async function collectOrphans(base: string = defaultBase()): Promise<number> {
  if (!existsSync(base)) return 0;
  ensureBase(base);
  let removed = 0;
  for (const name of readdirSync(base).filter((each) => each.startsWith(prefix))) {
    const path = join(base, name);
    if (!isOrphan(path)) continue;
    await removeDirectory(path);
    removed++;
  }
  return removed;
}

function isOrphan(path: string): boolean {
  const ownership = readOwnership(path);
  if (ownership) return !isAlive(ownership.owner);
  try {
    return Date.now() - lstatSync(path).mtimeMs > graceMs;
  } catch {
    return false;
  }
}

function readOwnership(path: string): Ownership | null {
  try {
    return JSON.parse(readFileSync(join(path, 'owner.json'), 'utf8')) as Ownership;
  } catch {
    return null;
  }
}

async function removeDirectory(path: string): Promise<void> {
  const { groups = [], container } = readOwnership(path) ?? {};
  // Podman does so itself at the end of the session, unless it was killed before.
  if (container !== undefined) await runOnHost('podman', ['rm', '--force', '--ignore', '--time=0', container]);
  // Whatever cannot be removed holds up nothing else.
  try {
    await removeGroups(groups);
  } finally {
    await removeFiles(path);
  }
}

/**
 * One program for all of it: starting one costs more than what it does. rm goes down directory by directory: paths that a session has made
 * longer than the system takes do not stop it. Whoever still looks into the disk keeps it alive for himself.
 */
const remover = `
path=$1; shift
[ $# = 0 ] || umount --no-canonicalize "$@" || umount --no-canonicalize --lazy --quiet "$@"
exec rm -rf --one-file-system "$path"`;

async function removeFiles(path: string): Promise<void> {
  const owned = ['disk', 'system'].map((name) => join(path, name));
  const remove = () => runOnHost('sh', ['-c', remover, 'gyre', path, ...owned.filter(isMounted)]);
  if ((await remove()).code === 0) return;
  await runOnHost('chmod', ['-R', 'u+rwx', ...owned]);
  const { code, stderr } = await remove();
  if (code !== 0) throw new GyreError('storage', `${path} cannot be removed: ${stderr.slice(0, 300)}`);
}

function isMounted(path: string): boolean {
  try {
    return lstatSync(path).dev !== lstatSync(join(path, '..')).dev;
  } catch {
    return false;
  }
}

/** The base directory is passed through by the sessions' users, listed by nobody, and written by its owner alone. */
function ensureBase(base: string): void {
  if (mkdirSync(base, { recursive: true, mode: 0o711 }) !== undefined) chmodSync(base, 0o711);
  const found = lstatSync(base);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new GyreError('storage', `${base} belongs to somebody else, or can be written by others`, {
      field: 'directory',
      fix: 'remove it, or name another directory',
    });
  }
}

function claim(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o711 });
    chmodSync(path, 0o711);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** So far above the agent of a session is root inside, and as far above that the user of what is judged: all strangers to everybody. */
const usersPerRange = 4_096;
const ranges = 3;

/** As root, a user out of a range that nobody else uses, so that sessions are strangers to each other and to the host; else this user. */
function sessionUser(): HostUser {
  if (process.getuid?.() !== 0) return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const uid = firstUser() + randomInt(usersPerRange);
  return { uid, gid: uid };
}

/** 0x70000000 upwards is left free by distributions and by systemd. Where only some users exist, as in a container, the last are taken. */
function firstUser(): number {
  const free = 0x7000_0000;
  const known = readFileSync('/proc/self/uid_map', 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const end = Math.max(...known.map(([inside = 0, , count = 0]) => inside + count));
  return end >= free + ranges * usersPerRange ? free : Math.max(1, end - ranges * usersPerRange);
}
