import { crc32, deflateSync } from 'node:zlib';

export interface ScreenDouble {
  readonly size: { readonly width: number; readonly height: number };
  readonly app: string | undefined;
  readonly typed: string;
  readonly presses: number;
  readonly volume: number;
  readonly scrolled: number;
  readonly touch: { readonly x: number; readonly y: number } | undefined;
  readonly moving: number;
}

/** RGBA `[height, width, 4]`. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly pixels: Buffer;
}

type Colour = readonly [number, number, number];

/** Colour, and half the square's side in px. */
export const touchColour: Colour = [255, 0, 0];
const touchReach = 4;

export function drawScreen({ size, app, typed, presses, volume, scrolled, touch, moving }: ScreenDouble): Drawing {
  const { width, height } = size;
  const pixels = Buffer.alloc(width * height * 4);
  const fill = (left: number, top: number, right: number, bottom: number, [red, green, blue]: Colour) => {
    const [from, to] = [Math.max(0, left), Math.min(width, right)];
    if (from >= to) return;
    const pixel = Buffer.from([red, green, blue, 255]);
    for (let y = Math.max(0, top); y < Math.min(height, bottom); y++) {
      pixels.fill(pixel, (y * width + from) * 4, (y * width + to) * 4);
    }
  };
  fill(0, 0, width, height, colourOf(app ?? ''));
  for (let y = 60 + (((-scrolled % 40) + 40) % 40); y < height; y += 40) fill(0, y, width, y + 2, [90, 90, 90]);
  [...typed].forEach((character, index) => {
    const x = 4 + (index % 32) * 8;
    const top = 4 + Math.floor(index / 32) * 10;
    fill(x, top, x + 6, top + 8, colourOf(character));
  });
  fill(
    Math.round(width / 4),
    height / 2,
    Math.round((width * 3) / 4),
    Math.round(height * 0.6),
    colourOf(`${presses}`),
  );
  fill(0, height - 4, volume * 10, height, [0, 128, 255]);
  if (moving > 0) fill(0, height - 20, Math.ceil(moving) % width, height - 10, [255, 255, 0]);
  if (touch !== undefined) {
    fill(touch.x - touchReach, touch.y - touchReach, touch.x + touchReach + 1, touch.y + touchReach + 1, touchColour);
  }
  return { width, height, pixels };
}

function colourOf(text: string): Colour {
  const sum = crc32(text);
  return [sum & 0x7f, (sum >>> 8) & 0xff, (sum >>> 16) & 0xff];
}

/** Mimics `screencap -p`. */
export function encodePng({ width, height, pixels }: Drawing): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (width * 4 + 1));
  for (let y = 0; y < height; y++) pixels.copy(rows, y * (width * 4 + 1) + 1, y * width * 4, (y + 1) * width * 4);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    part('IHDR', header),
    part('IDAT', deflateSync(rows, { level: 1 })),
    part('IEND', Buffer.alloc(0)),
  ]);
}

function part(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
