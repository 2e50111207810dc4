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
  /** Bytes kept of stdout, and as many of stderr. Default: 1 MiB. */
  readonly maxOutput?: number;
}

/** Commands in the shell of a device. */
export interface DeviceShell {
  /** Runs a line until its end. Throws `bad_input` for options that a device has no way to follow. */
  run(command: string, options?: DeviceRunOptions): Promise<RunResult>;
}

/** An entry of a folder on a device, as far as the device describes it. */
export interface DeviceEntry extends Partial<Pick<FileEntry, 'size' | 'modified' | 'mode'>> {
  /** Whole. */
  readonly path: string;
  readonly type: FileEntry['type'] | 'unknown';
}

/** Files of a device, by absolute path; each passes through memory. */
export interface DeviceFiles {
  /** Throws `bad_input` where there is none that may be read. */
  readBytes(path: string): Promise<Uint8Array>;
  /** Replaces the file. Throws `bad_input` where the device does not take it. */
  write(path: string, data: string | Uint8Array): Promise<void>;
  /** Lists a folder. Throws `bad_input` where there is none. */
  list(path: string): Promise<{ readonly entries: readonly DeviceEntry[]; readonly truncated: boolean }>;
  /** Writes a file from a stream. Throws `bad_input` for more than 256 MiB. */
  upload(path: string, source: AsyncIterable<Uint8Array>): Promise<void>;
  download(path: string): Promise<{ readonly stream: Readable; readonly bytes: number }>;
}

/** A phone or a remote machine that a session has. It outlives the session. */
export interface Device extends Leased {
  readonly shell: DeviceShell;
  readonly files: DeviceFiles;
  readonly phone?: Phone;
  readonly remote?: Remote;
  /** Called after each call of its surfaces. */
  readonly heard?: CallListener;
}
