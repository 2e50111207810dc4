import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Framebuffer, toRgb } from './framebuffer.js';

const size = { width: 5, height: 3 };
const headerSize = 100;

function header(width: number): Buffer {
  const words = Buffer.alloc(headerSize);
  const say = (index: number, value: number) => words.writeUInt32BE(value, index * 4);
  say(0, headerSize);
  say(4, width);
  say(5, size.height);
  say(11, 32);
  say(12, width * 4);
  return words;
}

describe('the screen of an X server', () => {
  const pixels = Buffer.from(Array.from({ length: size.width * size.height * 4 }, (_, index) => index * 7));
  let folder: string;
  let path: string;
  let file: number;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gyre-framebuffer-'));
    path = join(folder, 'screen');
    file = openSync(path, 'w');
    writeSync(file, header(size.width));
    writeSync(file, pixels);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is read into the memory that is given, and says whether it has changed', () => {
    const framebuffer = new Framebuffer(path, size);
    const changed = framebuffer.watch();
    const screen = new Uint8Array(framebuffer.bytes);
    expect(framebuffer.read(screen)).toBe(screen);
    expect(Buffer.compare(screen, pixels)).toBe(0);
    expect(changed()).toBe(false);
    writeSync(file, Buffer.of(1, 2, 3, 4), 0, 4, headerSize + 8);
    expect([changed(), changed()]).toEqual([true, false]);
    expect([...framebuffer.read(screen).subarray(8, 12)]).toEqual([1, 2, 3, 4]);
    framebuffer.close();
  });

  it('is refused if it has another size', () => {
    expect(() => new Framebuffer(path, { ...size, width: 4 })).toThrow(expect.objectContaining({ code: 'infra' }));
  });

  it('converts to RGB at any memory alignment', () => {
    const rgb = pixels.filter((_, index) => index % 4 !== 3);
    for (let to = 0; to < rgb.length; to += 3) rgb.subarray(to, to + 3).reverse();
    for (const offset of [0, 1, 4]) {
      const into = new Uint8Array(new ArrayBuffer(rgb.length + offset), offset);
      expect(Buffer.compare(toRgb(Uint8Array.from(pixels), into), rgb)).toBe(0);
    }
  });
});
