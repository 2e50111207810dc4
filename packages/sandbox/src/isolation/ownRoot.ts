import { chmodSync, lchownSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { readBundle } from './bundle.js';
import { runOnHost } from './program.js';
import { usersPerRoot, type SessionDirectory } from './sessionDirectory.js';
import { quotedWords } from '../shell/shellWords.js';
import { type Overlay, rootsKnown, withOverlays } from './systemCallFilter.js';
import { hostFiles } from './systemFiles.js';
import { rootIdentity } from './view.js';

/** Folders that every root has. */
const folders = ['dev', 'proc', 'sys', 'run', 'tmp', 'home', 'etc', 'root', 'var'];
const moreFolders = ['opt', 'srv', 'mnt', 'media', 'var/lib', 'var/cache', 'var/log'];
const modes: Readonly<Record<string, number>> = { tmp: 0o1777, root: 0o700 };

/**
 * A session's writable root: overlays over folders of the host, which are only read. What is written is on the session's
 * disk. The overlays exist only in the session's mount namespaces.
 */
export class OwnRoot {
  readonly #directory: SessionDirectory;
  readonly #overlays: Overlay[] = [];
  #env: Readonly<Record<string, string>> = {};

  private constructor(directory: SessionDirectory) {
    this.#directory = directory;
  }

  /** Throws 'missing', 'storage' and 'infra'. */
  static async layOut(source: string, directory: SessionDirectory): Promise<OwnRoot> {
    if (!rootsKnown) {
      throw new GyreError('missing', `no session can have a root of its own on ${process.arch}`, {
        field: 'root',
        fix: 'use x64 or arm64',
      });
    }
    const root = new OwnRoot(directory);
    root.#folder('root');
    if (source === 'machine') await root.#overMachine();
    else root.#overFolder(source);
    return root;
  }

  /** On the host, in the session's mount namespaces. */
  get base(): string {
    return join(this.#directory.disk, 'root');
  }

  /** Variables of the session's programs. */
  get env(): Readonly<Record<string, string>> {
    return this.#env;
  }

  /** Returns the command, run where the overlays are mounted. */
  mounted(command: readonly string[]): string[] {
    const { disk, user } = this.#directory;
    return withOverlays(command, { first: user.uid, count: usersPerRoot, folder: disk, overlays: this.#overlays });
  }

  /** The system's programs as overlays, and a copy of the files of /etc that sessions see. */
  async #overMachine(): Promise<void> {
    for (const folder of [...folders, ...moreFolders]) this.#folder(join('root', folder));
    const configuration: string[] = [];
    for (const place of hostFiles()) {
      const { kind, path } = place;
      if (kind === 'link' && dirname(path) === '/') this.#link(place.to, join('root', path));
      if (kind !== 'show') continue;
      if (dirname(path) === '/etc') configuration.push(path);
      if (dirname(path) === '/') await this.#overlay(path, join('root', path));
    }
    this.#link('../tmp', 'root/var/tmp');
    const { uid } = this.#directory.user;
    const etc = join(this.base, 'etc');
    const copied = await runOnHost('sh', ['-c', copy, 'gyre', etc, String(uid), ...configuration]);
    if (copied.code !== 0) throw unwritable(etc, copied.stderr);
    for (const [name, text] of Object.entries(rootIdentity)) this.#write(join('root/etc', name), text);
  }

  /** A root file system, or a bundle of OCI's runtime with one. */
  #overFolder(source: string): void {
    const { root, env } = readBundle(source);
    const upper = this.#layer(root, 'root');
    for (const folder of folders) {
      // A link or file of the source is hidden.
      if (folder === 'etc' || !isFolder(join(root, folder))) this.#folder(join(upper, folder));
    }
    for (const name of ['hosts', 'hostname'] as const) this.#write(join(upper, 'etc', name), rootIdentity[name]);
    this.#env = env;
    if (env.PATH === undefined) return;
    // Login shells replace PATH, and then read this.
    this.#folder(join(upper, 'etc/profile.d'));
    this.#write(join(upper, 'etc/profile.d/zz-image.sh'), `export PATH=${quotedWords([env.PATH])}\n`);
  }

  /** An overlay without the files that not every user of the host may read. */
  async #overlay(lower: string, mountPoint: string): Promise<void> {
    this.#folder(mountPoint);
    const upper = this.#layer(lower, mountPoint);
    const closed = (await closedFiles(lower)).map((path) => join(upper, path.slice(lower.length)));
    for (const path of closed) {
      this.#folder(dirname(path));
      const { code, stderr } = await runOnHost('mknod', [join(this.#directory.disk, path), 'c', '0', '0']);
      if (code !== 0) throw unwritable(path, stderr);
    }
  }

  #layer(lower: string, mountPoint: string): string {
    const index = this.#overlays.length;
    this.#overlays.push({ lower, mountPoint });
    for (const part of ['upper', 'work', 'lower']) this.#folder(`${part}-${index}`);
    return `upper-${index}`;
  }

  /** Makes a folder of the disk with its parents, for root inside. */
  #folder(path: string): void {
    const full = join(this.#directory.disk, path);
    if (isFolder(full)) return;
    if (path.includes('/')) this.#folder(dirname(path));
    mkdirSync(full);
    chmodSync(full, modes[path.split('/').slice(1).join('/')] ?? 0o755);
    this.#own(full);
  }

  #link(to: string, path: string): void {
    const full = join(this.#directory.disk, path);
    symlinkSync(to, full);
    this.#own(full);
  }

  #write(path: string, text: string): void {
    const full = join(this.#directory.disk, path);
    writeFileSync(full, text, { mode: 0o644 });
    this.#own(full);
  }

  #own(path: string): void {
    const { uid, gid } = this.#directory.user;
    lchownSync(path, uid, gid);
  }
}

/** $1: target, $2: owner, rest: files. Nobody may read inside what not every user of the host may read. */
const copy = `
target=$1 owner=$2; shift 2
cp -a --target-directory="$target" -- "$@" || exit
find "$target" -mindepth 1 ! -type l '(' ! -perm -o=r -o -type d ! -perm -o=x ')' -prune -exec rm -rf {} +
chown -hR "$owner:$owner" "$target"`;

const closedIn = new Map<string, Promise<readonly string[]>>();

/** Searches once per process, since the system is large. Throws 'infra'. */
function closedFiles(folder: string): Promise<readonly string[]> {
  const known = closedIn.get(folder) ?? findClosed(folder);
  closedIn.set(folder, known);
  known.catch(() => closedIn.delete(folder));
  return known;
}

async function findClosed(folder: string): Promise<readonly string[]> {
  const closed = ['(', '!', '-perm', '-o=r', '-o', '-type', 'd', '!', '-perm', '-o=x', ')'];
  const filter = ['-mindepth', '1', '!', '-type', 'l', ...closed, '-prune', '-print0'];
  const { code, stdout, stderr } = await runOnHost('find', [folder, '-xdev', ...filter], 600_000);
  const paths = stdout.split('\0');
  // Else the list is cut.
  if (code === 0 && paths.pop() === '') return paths;
  throw new GyreError('infra', `cannot search ${folder}: ${stderr.slice(0, 300)}`, { part: 'disk', field: 'root' });
}

const unwritable = (path: string, reason: string): GyreError =>
  new GyreError('storage', `cannot write ${path}: ${reason.slice(0, 300)}`, {
    field: 'limits.diskBytes',
    fix: 'use a larger disk limit',
  });

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
