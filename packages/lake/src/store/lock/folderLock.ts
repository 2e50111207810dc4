import { randomBytes } from 'node:crypto';
import * as nodeFileSystem from 'node:fs/promises';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { checksum } from '../checksum.js';
import { type FileSystem, isMissing, makeFolder, placeNew, removeFile, storageError } from '../fileSystem.js';
import { ProcessIdentity, heartbeatMs, isAlive, silenceMs, silenceOf, thisProcess } from './processIdentity.js';

const Holder = z.object({
  process: ProcessIdentity,
  nonce: z.string(),
  since: z.string(),
  command: z.string(),
});
type Holder = z.infer<typeof Holder>;

interface Claim {
  readonly token: number;
  readonly name: string;
  readonly released: boolean;
  readonly holder?: Holder | undefined;
  readonly modified: Date;
}

export interface LockState {
  /** `abandoned`: its process died. */
  readonly state: 'held' | 'abandoned' | 'released';
  /** ISO 8601. */
  readonly since?: string;
  /** At most 300 characters. */
  readonly command?: string;
  /** Last heartbeat, or the release. */
  readonly modified: Date;
}

const fileName = /^(\d{8})\.(held|released)$/;

/**
 * Owns a folder exclusively. The highest numbered claim in `lock/` counts. It is an immutable line `CHECKSUM JSON`,
 * then a heartbeat.
 *
 * A claim is linked into place under the next number, which only one process can do. The number is a fencing token: a
 * suspended and replaced owner finds a higher one.
 */
export class FolderLock {
  readonly #fs: FileSystem;
  readonly #text: string;
  readonly #nonce: string;

  readonly #lostNow = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();

  private constructor(
    fs: FileSystem,
    readonly folder: string,
    readonly token: number,
    text: string,
    nonce: string,
  ) {
    this.#fs = fs;
    this.#text = text;
    this.#nonce = nonce;
  }

  /**
   * Creates a missing folder.
   * @throws GyreError `held` if a living process, including this one, holds it; `storage`
   */
  static async take(folder: string, fs: FileSystem = nodeFileSystem): Promise<FolderLock> {
    const claims = await makeFolder(fs, folder, 'lock');
    const nonce = randomBytes(8).toString('hex');
    const text = claimText({
      process: thisProcess(),
      nonce,
      since: new Date().toISOString(),
      command: process.argv.slice(1).join(' ').slice(0, 300),
    });
    for (;;) {
      const before = await highest(fs, claims);
      if (before && before.holder?.nonce !== nonce && !before.released) {
        const silent = () => silenceOf(fs, claims, before.modified);
        if (await isAlive(before.holder?.process, silent)) throw heldBy(folder, before);
      }
      const token = before?.holder?.nonce === nonce ? before.token : (before?.token ?? 0) + 1;
      const bytes = Buffer.from(text + heartbeat());
      await placeNew(fs, { path: pathOf(claims, token), aside: join(claims, `${nonce}.new`), bytes });
      const now = await highest(fs, claims);
      if (now?.token === token && now.holder?.nonce === nonce && !now.released) {
        const lock = new FolderLock(fs, folder, token, text, nonce);
        await lock.#settle();
        return lock;
      }
      const claim = await readClaim(fs, claims, `${numbered(token)}.held`);
      if (claim?.holder?.nonce === nonce) await removeFile(fs, pathOf(claims, token));
    }
  }

  /** Looks at the lock of a folder without taking it; undefined if nobody ever did. */
  static async look(folder: string, fs: FileSystem = nodeFileSystem): Promise<LockState | undefined> {
    const claims = join(folder, 'lock');
    const claim = await highest(fs, claims);
    if (!claim) return undefined;
    const { holder, modified, released } = claim;
    const silent = () => silenceOf(fs, claims, modified);
    const state = released ? 'released' : (await isAlive(holder?.process, silent)) ? 'held' : 'abandoned';
    return { state, ...(holder && { since: holder.since, command: holder.command }), modified };
  }

  /** Aborts once another process owns the folder. */
  get lost(): AbortSignal {
    return this.#lostNow.signal;
  }

  /**
   * Must precede each write that could harm another owner, and each acknowledgement.
   * @throws GyreError `held` if another process owns the folder or the lock was removed; `storage`
   */
  async expect(): Promise<void> {
    this.#lostNow.signal.throwIfAborted();
    const now = await highest(this.#fs, this.#claims);
    if (now?.token === this.token && now.holder?.nonce === this.#nonce && !now.released) return;
    clearInterval(this.#timer);
    const error = new GyreError(
      'held',
      now ? `${this.folder} was taken over by ${named(now)}` : `the lock of ${this.folder} was removed`,
      {
        field: 'directory',
        fix: 'let the other process continue; everything finished before is stored',
      },
    );
    this.#lostNow.abort(error);
    throw error;
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    // Renaming prevents reuse of the number and works on a full disk.
    const path = pathOf(this.#claims, this.token);
    await this.#fs.rename(path, path.replace(/held$/, 'released')).catch(() => undefined);
  }

  get #claims(): string {
    return join(this.folder, 'lock');
  }

  async #settle(): Promise<void> {
    // The previous claim stays, so that concurrent listings see at least one.
    for (const name of await this.#fs.readdir(this.#claims)) {
      const number = fileName.exec(name)?.[1];
      if (number === undefined ? name.endsWith('.new') && (await this.#isOld(name)) : Number(number) < this.token - 1)
        await removeFile(this.#fs, join(this.#claims, name));
    }
    this.#timer = setInterval(() => {
      this.#beating = this.#beat();
    }, heartbeatMs).unref();
  }

  async #isOld(name: string): Promise<boolean> {
    const modified = await this.#fs.stat(join(this.#claims, name)).then(
      ({ mtime }) => mtime,
      () => new Date(),
    );
    return (await silenceOf(this.#fs, this.#claims, modified)) > silenceMs;
  }

  /** Overwrites in place, which needs no space. */
  async #beat(): Promise<void> {
    try {
      const file = await this.#fs.open(pathOf(this.#claims, this.token), 'r+');
      try {
        await file.write(heartbeat(), Buffer.byteLength(this.#text));
      } finally {
        await file.close();
      }
    } catch {
      // The next beat tries again.
    }
    await this.expect().catch(() => undefined);
  }
}

const numbered = (token: number): string => String(token).padStart(8, '0');
const pathOf = (claims: string, token: number): string => join(claims, `${numbered(token)}.held`);
const heartbeat = (): string => `${new Date().toISOString()}\n`;

function claimText(holder: Holder): string {
  const json = JSON.stringify(holder);
  return `${checksum(json)} ${json}\n`;
}

async function highest(fs: FileSystem, claims: string): Promise<Claim | undefined> {
  for (;;) {
    const names = await fs.readdir(claims).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw storageError(error, claims);
    });
    const last = names
      .filter((name) => fileName.test(name))
      .sort()
      .at(-1);
    if (last === undefined) return undefined;
    const claim = await readClaim(fs, claims, last);
    if (claim) return claim;
  }
}

async function readClaim(fs: FileSystem, claims: string, name: string): Promise<Claim | undefined> {
  const path = join(claims, name);
  const [, number, state] = fileName.exec(name) ?? [];
  try {
    const [text, { mtime }] = [await fs.readFile(path, 'utf8'), await fs.stat(path)];
    return { token: Number(number), name, released: state === 'released', holder: readHolder(text), modified: mtime };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw storageError(error, path);
  }
}

function readHolder(text: string): Holder | undefined {
  const [line = ''] = text.split('\n', 1);
  const json = line.slice(9);
  if (line.slice(0, 9) !== `${checksum(json)} `) return undefined;
  try {
    return Holder.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function named({ holder, modified }: Claim): string {
  const beat = `last heartbeat ${modified.toISOString()}`;
  if (!holder) return `a process with a damaged record (${beat})`;
  const { process: identity, since, command } = holder;
  return `process ${identity.pid} on ${identity.host} since ${since} (${beat}; ${command})`;
}

function heldBy(folder: string, claim: Claim): GyreError {
  const { holder } = claim;
  const stop = holder
    ? `stop process ${holder.process.pid} on ${holder.process.host}`
    : 'stop the process that uses it';
  return new GyreError('held', `${folder} is locked by ${named(claim)}`, {
    field: 'directory',
    fix: `wait until it exits, ${stop}, or use another directory; if it crashed, retry ${silenceMs / 1000} s after its last heartbeat`,
  });
}
