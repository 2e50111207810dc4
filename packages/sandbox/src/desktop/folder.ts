import { lchown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import type { Enclosure } from '../enclosure/enclosure.js';

/** A Unix socket's path may have 107 bytes. This leaves room for the names of the sockets. */
const longestPath = 96;

/** A folder of a screen's own in the enclosure's home, which programs inside and this process both reach. */
export class Folder {
  readonly #owner: { readonly uid: number; readonly gid: number };

  private constructor(
    /** As programs inside see it. */
    readonly inside: string,
    /** The same on the host. */
    readonly onHost: string,
    owner: { readonly uid: number; readonly gid: number },
  ) {
    this.#owner = owner;
  }

  /**
   * Throws `bad_input` where the home's path is too long for a socket.
   *
   * @param of whose it is.
   */
  static async create({ home, homeOnHost }: Enclosure, of = 'desktop'): Promise<Folder> {
    const { uid, gid } = await stat(homeOnHost);
    const onHost = await mkdtemp(join(homeOnHost, `.${of}-`));
    const folder = new Folder(join(home, basename(onHost)), onHost, { uid, gid });
    if (Math.max(Buffer.byteLength(onHost), Buffer.byteLength(folder.inside)) > longestPath) {
      await folder.remove();
      throw new GyreError('bad_input', `${homeOnHost} is too long a path for the sockets of a ${of}`, {
        field: 'home',
        fix: `keep it below ${longestPath} bytes, in /tmp for instance`,
      });
    }
    await folder.give('.');
    return folder;
  }

  /** A folder in it that programs inside may write. */
  async makeFolder(name: string): Promise<void> {
    await mkdir(join(this.onHost, name), { mode: 0o700 });
    await this.give(name);
  }

  /** A file in it that programs inside may read, and nobody else. */
  async write(name: string, content: string | Uint8Array): Promise<void> {
    await writeFile(join(this.onHost, name), content, { mode: 0o600, flag: 'wx' });
    await this.give(name);
  }

  remove(): Promise<void> {
    return rm(this.onHost, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }

  /** What root has made belongs to whom the home belongs to: programs inside may be somebody else. */
  async give(name: string): Promise<void> {
    if (process.getuid?.() === 0) await lchown(join(this.onHost, name), this.#owner.uid, this.#owner.gid);
  }
}
