import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { removeGroups } from './controlGroup.js';
import { readProcessIdentity, isAlive, type ProcessIdentity } from './processIdentity.js';
import { runOnHost } from './program.js';
import { system } from './view.js';

interface Ownership {
  readonly owner: ProcessIdentity;
  readonly groups: readonly string[];
  readonly container?: string;
}

export interface HostUser {
  readonly uid: number;
  readonly gid: number;
}

interface Part {
  readonly path: string;
  readonly mode: number;
  readonly user: HostUser;
}

/** Nothing else in the base is ever removed. */
const prefix = 'session-';

/** `owner.json` follows the directory. */
const graceMs = 10_000;

/** Writable, under one limit. */
const places = { home: 0o750, tmp: 0o1777, shm: 0o1777, run: 0o700 } as const;

/** On the host: the agent's programs write to `disk/`, system programs to `system/`. */
export class SessionDirectory {
  #inMemory = false;

  private constructor(
    readonly path: string,
    /** Host user of the agent's programs; under root, unique to the session. */
    readonly user: HostUser,
    readonly pinned: readonly string[],
    /** Whether the agent is root in a root of its own. */
    readonly rooted: boolean,
  ) {}

  /** Whether system programs have their own user; needs root. */
  get apart(): boolean {
    return process.getuid?.() === 0;
  }

  get systemUser(): HostUser {
    const { uid, gid } = this.user;
    if (this.rooted) return { uid: uid + system.uid, gid: gid + system.gid };
    return this.apart ? { uid: uid + 2 * usersPerRange, gid } : this.user;
  }

  /** Host user of root inside, unprivileged too. */
  get rootUser(): HostUser {
    const { uid, gid } = this.user;
    if (this.rooted) return this.user;
    return this.apart ? { uid: uid + usersPerRange, gid: gid + usersPerRange } : this.user;
  }

  /** User and group that may pass through the disk: the builder (root inside) and the session's group. */
  get #passing(): HostUser {
    return { uid: this.rootUser.uid, gid: this.user.gid };
  }

  get name(): string {
    return basename(this.path);
  }

  get home(): string {
    return this.place('home');
  }

  get disk(): string {
    return join(this.path, 'disk');
  }

  /** Whether the disk is a tmpfs. */
  get inMemory(): boolean {
    return this.#inMemory;
  }

  place(name: keyof typeof places): string {
    return join(this.disk, name);
  }

  get system(): string {
    return join(this.path, 'system');
  }

  get runtime(): string {
    return join(this.path, 'runtime');
  }

  get etc(): string {
    return join(this.path, 'etc');
  }

  /**
   * Throws 'storage', and 'missing' if `rooted` and not root.
   *
   * @param pinned home folders that cannot be moved or replaced inside.
   */
  static create(
    base: string,
    { pinned = [], rooted = false }: { pinned?: readonly string[] | undefined; rooted?: boolean } = {},
  ): SessionDirectory {
    try {
      ensureBase(base);
      for (;;) {
        const user = rooted ? rootedUser() : sessionUser();
        const path = join(
          base,
          prefix + (process.getuid?.() === 0 ? String(user.uid) : randomBytes(8).toString('hex')),
        );
        if (!claim(path)) continue;
        const directory = new SessionDirectory(path, user, pinned, rooted);
        directory.recordOwner([]);
        mkdirSync(directory.etc, { mode: 0o755 });
        for (const part of directory.#parts()) directory.#make(part);
        return directory;
      }
    } catch (cause) {
      if (cause instanceof GyreError) throw cause;
      throw new GyreError('storage', `cannot create a session directory in ${base}: ${String(cause)}`, {
        field: 'directory',
        fix: 'use a writable directory',
        cause,
      });
    }
  }

  /** Records the owner. Must precede creating the groups and container. */
  recordOwner(groups: readonly string[], container?: string): void {
    const owner = readProcessIdentity(process.pid);
    if (!owner) throw new GyreError('missing', '/proc is not mounted', { fix: 'mount /proc' });
    const ownership: Ownership = { owner, groups, container };
    writeFileSync(join(this.path, 'owner.json'), JSON.stringify(ownership));
  }

  /**
   * Makes the writable directories on two bounded tmpfs, so that neither exhausts the other. Returns false if that is
   * not permitted; they are then on the host's disk.
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
          // fstab's blanks are octal.
          return `gyre ${path.replace(/[\s\\]/g, (sign) => `\\0${sign.charCodeAt(0).toString(8)}`)} tmpfs ${options}${more} 0 0\n`;
        })
        .join('');
    const file = join(this.path, 'fstab');
    const mount = async (more: string): Promise<boolean> => {
      writeFileSync(file, table(more));
      // One program for both, because starting is the expensive part.
      return (await runOnHost('mount', ['--all', '--fstab', file])).code === 0;
    };
    // Huge pages make reading a desktop's screen three times as fast.
    if ((await mount(',huge=within_size')) || (await mount(''))) return true;
    await runOnHost('umount', ['--quiet', ...this.#parts().map(({ path }) => path)]);
    return false;
  }

  /** Lists what session users can write, closed to other host users. */
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

  /** Removes everything, once every process has ended. Throws 'storage'. */
  async remove(): Promise<void> {
    await removeDirectory(this.path);
  }
}

/** Both users are in the group: system programs pass through the home, the agent to the system's sockets. */
const [diskMode, systemMode, pinnedMode] = [0o710, 0o710, 0o770];

export function defaultBase(): string {
  return join(tmpdir(), `gyre-sandbox-${process.getuid?.() ?? 0}`);
}

/** Removes what sessions of dead processes have left; returns their number. */
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
  // Podman does so itself unless it was killed.
  if (container !== undefined) await runOnHost('podman', ['rm', '--force', '--ignore', '--time=0', container]);
  try {
    await removeGroups(groups);
  } finally {
    await removeFiles(path);
  }
}

/**
 * One program, because starting is expensive. rm descends stepwise, so overlong paths do not stop it. A lazy unmount
 * leaves a busy disk to its users.
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
  if (code !== 0) throw new GyreError('storage', `cannot remove ${path}: ${stderr.slice(0, 300)}`);
}

function isMounted(path: string): boolean {
  try {
    return lstatSync(path).dev !== lstatSync(join(path, '..')).dev;
  } catch {
    return false;
  }
}

/** Makes the base: its owner may write and list, session users only pass through. */
function ensureBase(base: string): void {
  if (mkdirSync(base, { recursive: true, mode: 0o711 }) !== undefined) chmodSync(base, 0o711);
  const stats = lstatSync(base);
  if (!stats.isDirectory() || stats.uid !== process.getuid?.() || (stats.mode & 0o022) !== 0) {
    throw new GyreError('storage', `${base} belongs to another user or is writable by others`, {
      field: 'directory',
      fix: 'remove it, or use another directory',
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

/** Distance between the host UIDs of a session's agent, root and system, all unprivileged. */
const usersPerRange = 4_096;
const ranges = 3;

/** Under root, picks an unused UID, so that sessions cannot reach each other or the host. */
function sessionUser(): HostUser {
  if (process.getuid?.() !== 0) return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const uid = firstUser() + randomInt(usersPerRange);
  return { uid, gid: uid };
}

/** Users of a session with a root of its own. */
export const usersPerRoot = 2 ** 16;

/** Picks the first of the unused host users of such a session, beyond those of others. */
function rootedUser(): HostUser {
  const first = 0x7001_0000;
  const ranges = 0xff_0000 / usersPerRoot;
  if (process.getuid?.() !== 0 || lastUser() < first + ranges * usersPerRoot) {
    throw new GyreError('missing', `a root of its own needs ${usersPerRoot} host users, and root to give them`, {
      field: 'root',
      fix: 'run gyre as root, outside of containers that map fewer users',
    });
  }
  const uid = first + usersPerRoot * randomInt(ranges);
  return { uid, gid: uid };
}

/**
 * Uses 0x70000000 upwards, which distributions and systemd leave free; in containers that map fewer users, the last
 * ones.
 */
function firstUser(): number {
  const free = 0x7000_0000;
  const end = lastUser();
  return end >= free + ranges * usersPerRange ? free : Math.max(1, end - ranges * usersPerRange);
}

function lastUser(): number {
  const known = readFileSync('/proc/self/uid_map', 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  return Math.max(...known.map(([inside = 0, , count = 0]) => inside + count));
}
