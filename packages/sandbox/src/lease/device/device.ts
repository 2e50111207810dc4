import type { Readable } from 'node:stream';
import type { FileEntry } from '../../files/entry.js';
import type { CallListener } from '../lease.js';
import type { Phone } from '../../phone/phone.js';
import type { Remote } from '../../foreign/driven/remote.js';
import type { Leased } from '../screenSession.js';
import type { RunResult } from '../../shell/run.js';

export interface DeviceRunOptions {
  /** Default: 2 minutes. */
  readonly timeoutMs?: number;
  /** Bytes kept of each of stdout and stderr. Default: 1 MiB. */
  readonly maxOutput?: number;
}

export interface DeviceShell {
  /** Runs a shell line to its end. Throws `bad_input` for options that the device does not support. */
  run(command: string, options?: DeviceRunOptions): Promise<RunResult>;
}

export interface DeviceEntry extends Partial<Pick<FileEntry, 'size' | 'modified' | 'mode'>> {
  /** Absolute. */
  readonly path: string;
  readonly type: FileEntry['type'] | 'unknown';
}

/** Files of a device, by absolute path; each passes through memory as a whole. */
export interface DeviceFiles {
  /** Throws `bad_input` where there is no readable one. */
  readBytes(path: string): Promise<Uint8Array>;
  /** Replaces the file. Throws `bad_input` where the device refuses it. */
  write(path: string, data: string | Uint8Array): Promise<void>;
  /** Lists a folder. Throws `bad_input` where there is none. */
  list(path: string): Promise<{ readonly entries: readonly DeviceEntry[]; readonly truncated: boolean }>;
  /** Writes a file from a stream. Throws `bad_input` for more than 256 MiB. */
  upload(path: string, source: AsyncIterable<Uint8Array>): Promise<void>;
  download(path: string): Promise<{ readonly stream: Readable; readonly bytes: number }>;
}

/** A phone or a remote machine, lent to a session and left running at its end. */
export interface Device extends Leased {
  readonly shell: DeviceShell;
  readonly files: DeviceFiles;
  readonly phone?: Phone;
  readonly remote?: Remote;
  /** Hears every call of its surfaces. */
  readonly heard?: CallListener;
}
