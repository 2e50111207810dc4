import {
  Adb,
  AdbBanner,
  AdbFeature,
  type AdbSyncEntry,
  AdbSyncError,
  LinuxFileType,
  type AdbServerClient,
} from '@yume-chan/adb';
import { AbortController, ReadableStream } from '@yume-chan/stream-extra';
import { GyreError } from '@gyre/protocol';
import { reasonOf } from './adbServer.js';
import type { Listed } from './phones.js';
import { Transport } from './transport.js';

export interface PhoneRunResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Null after a timeout. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly truncated: boolean;
  /** Dropped bytes. */
  readonly leftOut: { readonly stdout: number; readonly stderr: number };
}

export interface PhoneRunOptions {
  /** Default: 2 minutes. */
  readonly timeoutMs?: number;
  /** In bytes, of stdout and stderr each. Default: 16 MiB. */
  readonly maxOutput?: number;
}

export interface PhoneFile {
  /** Absolute. */
  readonly path: string;
  readonly type: 'file' | 'folder' | 'link' | 'other';
  /** In bytes; 0 for folders. */
  readonly size: number;
  readonly modified: Date;
  readonly mode: number;
}

const types: Readonly<Partial<Record<number, PhoneFile['type']>>> = {
  [LinuxFileType.File]: 'file',
  [LinuxFileType.Directory]: 'folder',
  [LinuxFileType.Link]: 'link',
};

const maxBytes = 2 ** 28;
const maxEntries = 100_000;

/** The protocol encodes the length, including the service's name, in four hex digits. */
const longestCommand = 65_000;

/** Every call has a time limit. Throws `infra` once the device or server is gone. */
export class Link {
  readonly serial: string;
  readonly ended: Promise<void>;
  readonly #adb: Adb;
  readonly #watch: AbortController;
  readonly #timeoutMs: number;
  #end: () => void = () => {};
  #gone = false;

  private constructor(client: AdbServerClient, phone: Listed, features: readonly AdbFeature[], timeoutMs: number) {
    this.serial = phone.serial;
    this.#timeoutMs = timeoutMs;
    this.#watch = new AbortController();
    const closed = new Promise<void>((resolve) => (this.#end = resolve));
    const selector = { transportId: phone.transport };
    // The disconnect was reported, or the server itself is gone.
    const disconnected = client.waitFor(selector, 'disconnect', { signal: this.#watch.signal }).catch(() => {});
    this.ended = Promise.race([disconnected, closed]).then(() => {
      this.#gone = true;
    });
    const banner = new AdbBanner('device', undefined, phone.model, undefined, features);
    this.#adb = new Adb(new Transport(client, phone.transport, phone.serial, banner, this.ended));
  }

  static async open(client: AdbServerClient, phone: Listed, timeoutMs: number): Promise<Link> {
    const { features } = await client.getDeviceFeatures({ transportId: phone.transport }).catch((cause: unknown) => {
      throw silent(phone.serial, cause);
    });
    if (!features.includes(AdbFeature.ShellV2) || !features.includes(AdbFeature.Cmd)) {
      throw new GyreError('bad_input', `the phone "${phone.serial}" runs an Android version before 7`, {
        field: 'serial',
        fix: 'use a phone with Android 7 or later',
      });
    }
    return new Link(client, phone, features, timeoutMs);
  }

  async run(command: string, options: PhoneRunOptions = {}): Promise<PhoneRunResult> {
    const { timeoutMs = 120_000, maxOutput = 2 ** 24 } = options;
    check(command);
    const stop = new AbortController();
    let timedOut = false as boolean;
    const timer = setTimeout(() => {
      timedOut = true;
      stop.abort(new Error('it timed out'));
    }, timeoutMs);
    const [stdout, stderr] = [new Head(maxOutput), new Head(maxOutput)];
    let exitCode: number | null = null;
    try {
      await this.#alive(async () => {
        // `open` has checked that it exists. One element: the library would split a text at blanks.
        const child = await this.#adb.subprocess.shellProtocol!.spawn([command], stop.signal);
        const read = Promise.all([drain(child.stdout, stdout), drain(child.stderr, stderr)]);
        read.catch(() => {});
        exitCode = await child.exited;
        await read;
      });
    } catch (error) {
      if (!timedOut) throw error;
    } finally {
      clearTimeout(timer);
    }
    return {
      stdout: stdout.text(),
      stderr: stderr.text(),
      exitCode,
      timedOut,
      truncated: stdout.leftOut + stderr.leftOut > 0,
      leftOut: { stdout: stdout.leftOut, stderr: stderr.leftOut },
    };
  }

  async ask(command: string, timeoutMs = this.#timeoutMs): Promise<string> {
    const { stdout, stderr, timedOut } = await this.run(command, { timeoutMs });
    if (timedOut) throw late(command, timeoutMs);
    return stdout + stderr;
  }

  exec(command: string): Promise<Buffer> {
    check(command);
    return this.#bounded(command, async () => {
      const child = await this.#adb.subprocess.noneProtocol.spawn([command]);
      const bytes = new Head(maxBytes);
      await drain(child.output, bytes);
      if (bytes.leftOut > 0) throw tooMuch(this.serial, command);
      return bytes.bytes();
    });
  }

  async push(path: string, bytes: Uint8Array, mode: number): Promise<void> {
    const sync = await this.#bounded('sync', () => this.#adb.sync());
    try {
      const file = new ReadableStream<Uint8Array>({
        start(controller) {
          if (bytes.length > 0) controller.enqueue(bytes);
          controller.close();
        },
      });
      await this.#transfer(bytes.length, () => sync.write({ filename: path, file, permission: mode }));
    } finally {
      void Promise.resolve(sync.dispose()).catch(() => {});
    }
  }

  async pull(path: string): Promise<Buffer> {
    const sync = await this.#bounded('sync', () => this.#adb.sync());
    try {
      const reader = sync.read(path).getReader();
      const bytes = new Head(maxBytes);
      for (;;) {
        const { done, value } = await this.#transfer(0, () => reader.read());
        if (done) return bytes.bytes();
        bytes.add(value);
        if (bytes.leftOut > 0) throw tooMuch(this.serial, path);
      }
    } finally {
      void Promise.resolve(sync.dispose()).catch(() => {});
    }
  }

  async list(path: string): Promise<PhoneFile[]> {
    const sync = await this.#bounded('sync', () => this.#adb.sync());
    try {
      const entries = await this.#transfer(0, async () => {
        const entries: AdbSyncEntry[] = [];
        for await (const entry of sync.opendir(path)) {
          if (entries.push(entry) > maxEntries) throw tooMuch(this.serial, path);
        }
        return entries;
      });
      // A folder lists at least itself; otherwise the phone reports nothing.
      if (entries.length === 0) {
        throw new GyreError('bad_input', `the folder ${path} does not exist or is not readable`, {
          field: 'path',
          fix: 'use the absolute path of a folder that the user "shell" of the phone can read, such as /sdcard/Download',
        });
      }
      return entries
        .filter(({ name }) => name !== '.' && name !== '..')
        .map(({ name, type, size, mtime, permission }) => ({
          path: path.endsWith('/') ? `${path}${name}` : `${path}/${name}`,
          type: types[type] ?? 'other',
          size: type === LinuxFileType.Directory ? 0 : Number(size),
          modified: new Date(Number(mtime) * 1_000),
          mode: permission,
        }));
    } finally {
      void Promise.resolve(sync.dispose()).catch(() => {});
    }
  }

  close(): void {
    this.#end();
    this.#watch.abort();
  }

  async #transfer<Result>(size: number, call: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#bounded('sync', call, this.#timeoutMs + size / 1_000);
    } catch (error) {
      const cause = error instanceof GyreError ? error.detail.cause : undefined;
      if (!(cause instanceof AdbSyncError)) throw error;
      throw new GyreError('bad_input', `the phone refused: ${cause.message}`, {
        field: 'path',
        fix: 'use the absolute path of a file that the user "shell" of the phone can open, such as one in /sdcard/Download',
        cause,
      });
    }
  }

  async #bounded<Result>(subject: string, call: () => Promise<Result>, ms = this.#timeoutMs): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(late(subject, ms)), ms);
    });
    try {
      return await this.#alive(() => Promise.race([call(), bound]));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Rejects once the connection ends. */
  async #alive<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.#gone) throw silent(this.serial);
    try {
      return await Promise.race([
        call(),
        this.ended.then(() => {
          throw silent(this.serial);
        }),
      ]);
    } catch (error) {
      if (error instanceof GyreError) throw error;
      throw silent(this.serial, error);
    }
  }
}

function silent(serial: string, cause?: unknown): GyreError {
  const why = cause === undefined ? 'it is no longer connected' : reasonOf(cause);
  return new GyreError('infra', `the phone "${serial}" does not answer: ${why}`, {
    part: 'phone',
    field: 'serial',
    fix: 'check `adb devices`, and connect to it again',
    cause,
  });
}

function tooMuch(serial: string, subject: string): GyreError {
  return new GyreError('infra', `the phone "${serial}" sent too much: ${subject.slice(0, 80)}`, {
    part: 'phone',
    field: 'serial',
    fix: 'request less at once',
  });
}

function late(subject: string, ms: number): GyreError {
  const name = subject.length > 80 ? `${subject.slice(0, 80)} …` : subject;
  return new GyreError('infra', `the phone did not answer in ${Math.round(ms)} ms: ${name}`, {
    part: 'phone',
    field: 'timeoutMs',
    fix: 'check the phone, or raise the timeout',
  });
}

function check(command: string): void {
  if (command.includes('\0') || Buffer.byteLength(command) > longestCommand) {
    throw new GyreError('bad_input', 'the command is too long or contains U+0000', {
      field: 'command',
      fix: `use up to ${longestCommand} bytes without U+0000, or push a script`,
    });
  }
}

class Head {
  readonly #limit: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  leftOut = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Uint8Array): void {
    const room = this.#limit - this.#length;
    this.leftOut += Math.max(0, chunk.length - room);
    if (room <= 0) return;
    const head = chunk.length > room ? chunk.slice(0, room) : chunk;
    this.#chunks.push(head);
    this.#length += head.length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  text(): string {
    return this.bytes().toString('utf8');
  }
}

async function drain(stream: ReadableStream<Uint8Array>, into: Head): Promise<void> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    into.add(value);
  }
}
