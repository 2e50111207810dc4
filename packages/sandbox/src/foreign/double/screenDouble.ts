import { deflateSync } from 'node:zlib';
import { type Action, type MouseButton, type Point, type Size, keysOf } from '@gyre/protocol';
import { frameOf, type Frame } from '../../recording/frame.js';
import { pixelAt } from '../../browser/viewport.js';
import { turn } from '../gesture.js';
import { pyautoguiKey } from '../pyautoguiKeys.js';

/**
 * Records input and renders it: a press paints the pointer's pixel, typed text adds coloured columns. Uses pyautogui's
 * key names.
 */
export class ScreenDouble {
  readonly size: Size;
  /** Such as `move 3,4`, `down left`, `key+ ctrl`, `type abc`, `wheel 0,5`. */
  readonly events: string[] = [];
  text = '';
  pointer = { x: 0, y: 0 };
  readonly #held = new Set<string>();
  readonly #pixels: Buffer;

  constructor(size: Size = { width: 64, height: 48 }) {
    this.size = size;
    this.#pixels = Buffer.alloc(size.width * size.height * 3, 255);
  }

  move(x: number, y: number): void {
    this.pointer = { x, y };
    this.events.push(`move ${x},${y}`);
  }

  button(down: boolean, button: string): void {
    this.events.push(`${down ? 'down' : 'up'} ${button}`);
    if (!down) return;
    const begin = (this.pointer.y * this.size.width + this.pointer.x) * 3;
    for (let index = begin; index < begin + 3; index++) this.#pixels[index]! ^= 0xa5;
  }

  wheel(right: number, up: number): void {
    this.events.push(`wheel ${right},${up}`);
  }

  key(down: boolean, name: string): void {
    this.events.push(`key${down ? '+' : '-'} ${name}`);
    if (down) this.#held.add(name);
    else this.#held.delete(name);
    if (!down || this.#held.has('ctrl') || this.#held.has('alt')) return;
    if (name === ',' && this.#held.has('shift')) this.#write('<');
    else if (name === 'enter') this.#write('\n');
    else if (name.length === 1) this.#write(name);
  }

  type(text: string): void {
    this.events.push(`type ${text}`);
    this.#write(text);
  }

  observe(): Promise<Frame> {
    return Promise.resolve(frameOf(this.png(), this.size));
  }

  png(): Uint8Array {
    const { width, height } = this.size;
    const rows = Buffer.alloc((width * 3 + 1) * height);
    for (let y = 0; y < height; y++) {
      this.#pixels.copy(rows, y * (width * 3 + 1) + 1, y * width * 3, (y + 1) * width * 3);
    }
    const header = Buffer.alloc(13);
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(height, 4);
    // 8 bits, RGB.
    header.set([8, 2, 0, 0, 0], 8);
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
    return Buffer.concat([signature, ...parts]);
  }

  /** Defines the effect that every driver must match. */
  act(action: Action): Promise<void> {
    const aim = (point: Point | undefined) => {
      if (point === undefined) return;
      const { x, y } = pixelAt(point, this.size);
      this.move(x, y);
    };
    const click = (point: Point, button: MouseButton, clicks = 1) => {
      aim(point);
      for (let count = 0; count < clicks; count++) {
        this.button(true, button);
        this.button(false, button);
      }
    };
    const key = (down: boolean, name: string) => this.key(down, pyautoguiKey(name, false));
    switch (action.type) {
      case 'click':
        click(action.point, 'left');
        break;
      case 'right_click':
        click(action.point, 'right');
        break;
      case 'middle_click':
        click(action.point, 'middle');
        break;
      case 'double_click':
        click(action.point, 'left', 2);
        break;
      case 'mouse_down':
      case 'mouse_up':
        aim(action.point);
        this.button(action.type === 'mouse_down', action.button ?? 'left');
        break;
      case 'mouse_move':
        aim(action.point);
        break;
      case 'drag':
      case 'swipe':
        aim(action.start);
        this.button(true, 'left');
        aim(action.end);
        this.button(false, 'left');
        break;
      case 'long_press':
        click(action.point, 'left');
        break;
      case 'scroll': {
        aim(action.point);
        const { right, up } = turn(action.direction);
        this.wheel(right, up);
        break;
      }
      case 'type':
        this.type(action.text);
        break;
      case 'hotkey':
        for (const name of keysOf(action.keys)) key(true, name);
        for (const name of keysOf(action.keys).toReversed()) key(false, name);
        break;
      case 'press':
      case 'release':
        key(action.type === 'press', action.key);
        break;
      case 'navigate':
        this.events.push(`navigate ${action.url}`);
        break;
      case 'navigate_back':
      case 'press_back':
        this.events.push('back');
        break;
      case 'screenshot':
      case 'finished':
      case 'call_user':
      case 'wait':
      case 'press_home':
      case 'open_app':
        break;
    }
    return Promise.resolve();
  }

  #write(text: string): void {
    this.text += text;
    const length = this.text.length % this.size.width;
    this.#pixels[length * 3] = this.text.charCodeAt(this.text.length - 1) & 0xff;
  }
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(data.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(checksum(named), named.length + 4);
  return whole;
}

function checksum(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
