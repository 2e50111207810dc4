import sharp from 'sharp';
import { GyreError, type Size } from '@gyre/protocol';
import { frameOf, type Frame } from '../recording/frame.js';
import type { Link } from './link.js';

export type Capture = 'png' | 'raw';

/** Quarter turns from the natural orientation. */
export type Rotation = 0 | 1 | 2 | 3;

/** In the current rotation. */
export interface Geometry {
  readonly size: Size;
  readonly rotation: Rotation;
}

export interface Picture {
  readonly size: Size;
  readonly capture: Capture;
  /** PNG, or RGBA `[height, width, 4]`. */
  readonly bytes: Buffer;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** `android.graphics.PixelFormat`: four bytes, starting with RGB. */
const rgba = new Set([1, 2]);

export class PhoneScreen {
  readonly #link: Link;
  #capture: Capture | undefined;

  constructor(link: Link, capture: Capture | undefined) {
    this.#link = link;
    this.#capture = capture;
  }

  async geometry(): Promise<Geometry> {
    const output = await this.#link.ask("wm size; dumpsys input | grep -E 'Viewport INTERNAL|SurfaceOrientation'");
    return parseGeometry(output);
  }

  async picture(): Promise<Picture> {
    if (this.#capture === 'png') return this.#png();
    if (this.#capture === 'raw') {
      const picture = await this.#raw();
      if (picture !== undefined) return picture;
      throw noPicture('its pixel format is unknown', "use `capture: 'png'`");
    }
    const start = performance.now();
    const png = await this.#png();
    const between = performance.now();
    const raw = await this.#raw();
    const { width, height } = png.size;
    const fits = raw?.size.width === width && raw.size.height === height;
    this.#capture = fits && performance.now() - between < between - start ? 'raw' : 'png';
    return this.#capture === 'raw' ? raw! : png;
  }

  async #png(): Promise<Picture> {
    // Phones with two screens warn on stderr, which `exec` would mix in.
    const bytes = await this.#link.exec('screencap -p 2>/dev/null');
    if (!bytes.subarray(0, 8).equals(signature) || bytes.length < 24) throw noPicture('it sent none', lookAtIt);
    const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    if (size.width * size.height > maxPixels) throw noPicture('it is too large', lookAtIt);
    return { capture: 'png', bytes, size };
  }

  /** Returns undefined unless pixels have four bytes. */
  async #raw(): Promise<Picture | undefined> {
    const bytes = await this.#link.exec('screencap 2>/dev/null');
    if (bytes.length < 12) throw noPicture('it sent none', lookAtIt);
    const [width, height, format] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
    // Since Android 9, a colour-space word precedes the pixels.
    const header = bytes.length - width * height * 4;
    if (!rgba.has(format) || (header !== 12 && header !== 16)) return undefined;
    return { capture: 'raw', bytes: bytes.subarray(header), size: { width, height } };
  }
}

/** Parses `wm size` and `dumpsys input`. Throws `infra` without a size. */
export function parseGeometry(output: string): Geometry {
  // The user's override takes precedence; both are in the natural orientation.
  const size = /Override size: (\d+)x(\d+)/.exec(output) ?? /Physical size: (\d+)x(\d+)/.exec(output);
  if (size === null) throw noPicture('it did not report its screen size', lookAtIt);
  const turned = /Viewport INTERNAL:.*?\borientation=(\d)/.exec(output) ?? /SurfaceOrientation: *(\d)/.exec(output);
  const rotation = (Number(turned?.[1] ?? 0) % 4) as Rotation;
  const [width, height] = [Number(size[1]), Number(size[2])];
  return { rotation, size: rotation % 2 === 0 ? { width, height } : { width: height, height: width } };
}

export async function frameOfPicture(picture: Picture): Promise<Frame> {
  if (picture.capture === 'png') return frameOf(picture.bytes, picture.size);
  const png = await sharp(picture.bytes, { raw: { ...picture.size, channels: 4 } })
    .removeAlpha()
    .png({ compressionLevel: 1 })
    .toBuffer();
  return frameOf(png, picture.size);
}

/** Converts to RGB `[height, width, 3]`. */
export async function pixelsOfPicture({ capture, bytes, size }: Picture): Promise<Uint8Array> {
  const image =
    capture === 'png' ? sharp(bytes, { limitInputPixels: maxPixels }) : sharp(bytes, { raw: { ...size, channels: 4 } });
  return image.removeAlpha().toColourspace('srgb').raw().toBuffer();
}

const maxPixels = 2 ** 26;

const lookAtIt = 'check the phone: its app may forbid screenshots';

function noPicture(why: string, fix: string): GyreError {
  return new GyreError('infra', `no picture of the phone's screen: ${why}`, { part: 'phone', field: 'screen', fix });
}
