import sharp from 'sharp';
import { GyreError, type Size } from '@gyre/protocol';
import type { XConnection } from './connection.js';

const backdrop = 0x3b5366;

const maxBytes = 2 ** 26;
const maxPixels = 2 ** 26;

/** Magic bytes: the file is untrusted. */
const formats: readonly RegExp[] = [/^\x89PNG\r\n/, /^\xff\xd8\xff/, /^RIFF[^]{4}WEBP/];

/** X requests are limited to 2 ** 18 bytes. */
const requestBytes = 2 ** 17;

const bytesPerPixel = 4;
const zPixmap = 2;
const rootDepth = 24;

export function showBackdrop(connection: XConnection): void {
  const { root } = connection;
  connection.tell((client) => {
    client.ChangeWindowAttributes(root, { backgroundPixel: backdrop });
    client.ClearArea(root, 0, 0, 0, 0, 0);
  });
}

export function backdropPicture(size: Size): Promise<Buffer> {
  const background = { r: backdrop >> 16, g: (backdrop >> 8) & 0xff, b: backdrop & 0xff };
  return sharp({ create: { ...size, channels: 3, background } })
    .png()
    .toBuffer();
}

export async function showPicture(connection: XConnection, size: Size, picture: Uint8Array): Promise<void> {
  const pixels = await pixelsOf(picture, size);
  const { root } = connection;
  const [pixmap, context] = [connection.newId(), connection.newId()];
  const rowBytes = size.width * bytesPerPixel;
  const rows = Math.max(1, Math.floor(requestBytes / rowBytes));
  connection.tell((client) => {
    client.CreatePixmap(pixmap, root, rootDepth, size.width, size.height);
    client.CreateGC(context, pixmap, {});
    for (let y = 0; y < size.height; y += rows) {
      const height = Math.min(rows, size.height - y);
      const band = pixels.subarray(y * rowBytes, (y + height) * rowBytes);
      client.PutImage(zPixmap, pixmap, context, size.width, height, 0, y, 0, rootDepth, band);
    }
    client.ChangeWindowAttributes(root, { backgroundPixmap: pixmap });
    client.ClearArea(root, 0, 0, 0, 0, 0);
    client.FreeGC(context);
    client.FreePixmap(pixmap);
  });
  await connection.sync();
}

/** Returns BGRX. */
async function pixelsOf(picture: Uint8Array, size: Size): Promise<Buffer> {
  const head = Buffer.from(picture.subarray(0, 16)).toString('latin1');
  if (picture.length > maxBytes || !formats.some((format) => format.test(head))) throw unreadable();
  const pixels = await sharp(picture, { limitInputPixels: maxPixels })
    .rotate()
    .resize({ ...size, fit: 'cover' })
    .flatten({ background: '#000' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer()
    .catch((cause: unknown) => {
      throw unreadable(cause);
    });
  for (let index = 0; index < pixels.length; index += bytesPerPixel) {
    const red = pixels[index]!;
    pixels[index] = pixels[index + 2]!;
    pixels[index + 2] = red;
  }
  return pixels;
}

function unreadable(cause?: unknown): GyreError {
  return new GyreError('bad_input', 'cannot read the picture', {
    field: 'picture',
    fix: `use a PNG, JPEG or WebP of up to ${maxBytes} bytes and ${maxPixels} pixels`,
    cause,
  });
}
