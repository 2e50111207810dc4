import type { Readable } from 'node:stream';
import type { FileEntry } from '../../files/entry.js';
import type { CallListener } from '../lease.js';
import type { Phone } from '../../phone/phone.js';
import type { Remote } from '../../foreign/driven/remote.js';
import type { Leased } from '../screenSession.js';
import type { RunResult } from '../../shell/run.js';

export interface DeviceRunOptions {
  /** Default 2 minutes. */
  readonly timeoutMs?: number;
  /** Per output. Default 1 MiB. */
  readonly maxOutput?: number;
}

export interface DeviceShell {
  /** Throws `bad_input` for unsupported options. */
  run(command: string, options?: DeviceRunOptions): Promise<RunResult>;
}

export interface DeviceEntry extends Partial<Pick<FileEntry, 'size' | 'modified' | 'mode'>> {
  readonly path: string;
  readonly type: FileEntry['type'] | 'unknown';
}

/** By absolute path; each passes through memory whole. */
export interface DeviceFiles {
  readBytes(path: string): Promise<Uint8Array>;
  /** Throws `bad_input` if the device refuses. */
  write(path: string, data: string | Uint8Array): Promise<void>;
  list(path: string): Promise<{ readonly entries: readonly DeviceEntry[]; readonly truncated: boolean }>;
  /** Throws `bad_input` beyond 256 MiB. */
  upload(path: string, source: AsyncIterable<Uint8Array>): Promise<void>;
  download(path: string): Promise<{ readonly stream: Readable; readonly bytes: number }>;
}

/** Outlives its session. */
export interface Device extends Leased {
  readonly shell: DeviceShell;
  readonly files: DeviceFiles;
  readonly phone?: Phone;
  readonly remote?: Remote;
  readonly heard?: CallListener;
}
