import { Readable } from 'node:stream';
import { GyreError } from '@gyre/protocol';
import type { DeviceEntry, DeviceFiles } from './device.js';

const longest = 2 ** 28;

export interface DeviceFileAccess {
  readonly read: (path: string) => Promise<Uint8Array>;
  readonly write: (path: string, bytes: Uint8Array) => Promise<void>;
  readonly list: (path: string) => Promise<DeviceEntry[]>;
}

export function createDeviceFiles({ read, write, list }: DeviceFileAccess): DeviceFiles {
  return {
    readBytes: read,
    write: (path, data) => write(path, typeof data === 'string' ? Buffer.from(data) : data),
    list: async (path) => ({ entries: await list(path), truncated: false }),
    async upload(path, source) {
      const parts: Uint8Array[] = [];
      let length = 0;
      for await (const part of source) {
        if ((length += part.length) > longest) {
          throw new GyreError('bad_input', `${path} would exceed ${longest} bytes`, {
            field: 'source',
            fix: 'send less',
          });
        }
        parts.push(part);
      }
      await write(path, Buffer.concat(parts));
    },
    async download(path) {
      const bytes = await read(path);
      return { stream: Readable.from([Buffer.from(bytes)], { objectMode: false }), bytes: bytes.length };
    },
  };
}

export function joinPath(folder: string, name: string): string {
  return /[/\\]$/.test(folder) ? `${folder}${name}` : `${folder}/${name}`;
}
