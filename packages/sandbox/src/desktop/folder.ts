import type { Stats } from 'node:fs';
import { chmod, lchown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import type { Enclosure } from '../isolation/enclosure.js';
import { runOnHost } from '../isolation/program.js';

/** Unix socket paths have at most 107 bytes, including the name. */
const longestPath = 96;

type User = 'agent' | 'system';
type Owner = Pick<Stats, 'uid' | 'gid'>;

/** A private folder for system files. Agent programs can traverse it but not list or write it. */
export class Folder {
  readonly #owners: Readonly<Record<User, Owner>>;

  private constructor(
    readonly inside: string,
    readonly onHost: string,
    owners: Readonly<Record<User, Owner>>,
  ) {
    this.#owners = owners;
  }

  static async create({ system, homeOnHost }: Enclosure, purpose = 'desktop'): Promise<Folder> {
    const owners = { agent: await stat(homeOnHost), system: await stat(system.onHost) };
    const onHost = await mkdtemp(join(system.onHost, `.${purpose}-`));
    await chmod(onHost, 0o710);
    const folder = new Folder(join(system.home, basename(onHost)), onHost, owners);
    if (Math.max(Buffer.byteLength(onHost), Buffer.byteLength(folder.inside)) > longestPath) {
      await folder.remove();
      throw new GyreError('bad_input', `the path ${system.onHost} is too long for the sockets of a ${purpose}`, {
        field: 'home',
        fix: `use a path below ${longestPath} bytes, such as one in /tmp`,
      });
    }
    await folder.give('.');
    return folder;
  }

  /** Grants access to that user's programs only. */
  async makeFolder(name: string, user: User = 'system'): Promise<void> {
    await mkdir(join(this.onHost, name), { mode: 0o700 });
    await this.give(name, user);
  }

  /** Writes a file that all programs inside can read. */
  async write(name: string, content: string | Uint8Array): Promise<void> {
    await writeFile(join(this.onHost, name), content, { mode: 0o640, flag: 'wx' });
    await this.give(name);
  }

  /** Makes a pipe that system programs can write. */
  async makePipe(name: string): Promise<void> {
    await runOnHost('mkfifo', ['-m', '600', join(this.onHost, name)]);
    await this.give(name);
  }

  remove(): Promise<void> {
    return rm(this.onHost, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }

  async give(name: string, user: User = 'system'): Promise<void> {
    const { uid, gid } = this.#owners[user];
    if (process.getuid?.() === 0) await lchown(join(this.onHost, name), uid, gid);
  }
}
