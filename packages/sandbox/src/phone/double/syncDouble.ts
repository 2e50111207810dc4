import type { FilesDouble } from './filesDouble.js';
import type { DoubleStream } from './stream.js';

const chunk = 64 * 1_024;

const linuxFile = 0o100_000;
const linuxFolder = 0o040_000;

/** Transfers files (adb's SYNC.TXT). Returns a stop function. */
export function serveSync(files: FilesDouble, stream: DoubleStream): () => void {
  let waiting: Buffer = Buffer.alloc(0);
  const reader = read();
  reader.next();
  let needed = 8;
  stream.onData = (data) => {
    waiting = Buffer.concat([waiting, data]);
    while (waiting.length >= needed) {
      const part = waiting.subarray(0, needed);
      waiting = waiting.subarray(needed);
      const { value, done } = reader.next(part);
      if (done === true) return stream.end();
      needed = value;
    }
  };
  return () => {};

  function* read(): Generator<number, void, Buffer> {
    for (;;) {
      const request = yield 8;
      const [id, length] = [request.toString('latin1', 0, 4), request.readUInt32LE(4)];
      if (id === 'QUIT') return;
      const path = (yield length).toString('utf8');
      if (id === 'STAT') stat(path);
      else if (id === 'LST2' || id === 'STA2') stat2(id, path);
      else if (id === 'LIST' || id === 'LIS2') list(id, path);
      else if (id === 'RECV') receive(path);
      else if (id === 'SEND') {
        const comma = path.lastIndexOf(',');
        yield* send(path.slice(0, comma), Number(path.slice(comma + 1)));
      } else if (id === 'SND2') {
        const setup = yield 12;
        yield* send(path, setup.readUInt32LE(4));
      } else fail(`unknown command ${id}`);
    }
  }

  function* send(path: string, mode: number): Generator<number, void, Buffer> {
    const parts: Buffer[] = [];
    for (;;) {
      const header = yield 8;
      const length = header.readUInt32LE(4);
      if (header.toString('latin1', 0, 4) !== 'DATA') break;
      // Zero bytes would resolve at once, with none.
      if (length > 0) parts.push(Buffer.from(yield length));
    }
    if (!files.mayWrite(path)) return fail(`couldn't create file: Permission denied`);
    files.write(path, Buffer.concat(parts), mode & 0o777);
    answer('OKAY', 0);
  }

  function receive(path: string): void {
    const file = files.read(path);
    if (file === undefined) return fail('open failed: No such file or directory');
    for (let offset = 0; offset < file.bytes.length; offset += chunk) {
      const part = file.bytes.subarray(offset, offset + chunk);
      answer('DATA', part.length);
      stream.write(part);
    }
    answer('DONE', 0);
  }

  function stat(path: string): void {
    const file = files.read(path);
    const numbers = file === undefined ? [0, 0, 0] : [linuxFile | file.mode, file.bytes.length, 1];
    answer('STAT', ...numbers);
  }

  function stat2(id: string, path: string): void {
    const file = files.read(path);
    const noSuchFile = 2;
    const words = new Uint8Array(72);
    const view = new DataView(words.buffer);
    words.set(Buffer.from(id, 'latin1'), 0);
    view.setUint32(4, file === undefined ? noSuchFile : 0, true);
    view.setUint32(24, file === undefined ? 0 : linuxFile | file.mode, true);
    view.setBigUint64(40, BigInt(file?.bytes.length ?? 0), true);
    stream.write(Buffer.from(words));
  }

  function list(id: string, path: string): void {
    const listed = files.list(path);
    const entries = listed === undefined ? [] : ([['.', undefined], ['..', undefined], ...listed] as const);
    for (const [name, file] of entries) {
      const mode = file === undefined ? linuxFolder | 0o755 : linuxFile | file.mode;
      const size = file?.bytes.length ?? 4_096;
      if (id === 'LIST') answer('DENT', mode, size, 1, Buffer.byteLength(name));
      else {
        const fields = Buffer.alloc(76);
        fields.write('DNT2', 0, 'latin1');
        fields.writeUInt32LE(mode, 24);
        fields.writeBigUInt64LE(BigInt(size), 40);
        fields.writeBigInt64LE(1n, 56);
        fields.writeUInt32LE(Buffer.byteLength(name), 72);
        stream.write(fields);
      }
      stream.write(Buffer.from(name));
    }
    // As long as an entry without a name.
    answer('DONE', ...Array.from({ length: id === 'LIST' ? 4 : 18 }, () => 0));
  }

  function fail(message: string): void {
    answer('FAIL', Buffer.byteLength(message));
    stream.write(Buffer.from(message));
  }

  function answer(id: string, ...numbers: number[]): void {
    const bytes = Buffer.alloc(4 + 4 * numbers.length);
    bytes.write(id, 0, 'latin1');
    numbers.forEach((number, index) => bytes.writeUInt32LE(number, 4 + 4 * index));
    stream.write(bytes);
  }
}
