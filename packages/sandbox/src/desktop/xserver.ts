import { randomBytes, randomInt } from 'node:crypto';
import { hostname as hostOfThis } from 'node:os';
import { join } from 'node:path';
import { GyreError, type Size } from '@gyre/protocol';
import { hostname } from '../isolation/view.js';
import { programText } from '../shell/programText.js';
import type { Folder } from './folder.js';
import { listen } from './listening.js';
import type { Programs } from './programs.js';

export interface XServer {
  readonly display: string;
  readonly socket: string;
  readonly cookie: Buffer;
  /** XWD image on the host, always current. */
  readonly screen: string;
}

/**
 * Runs Xvfb on an inherited socket, as systemd does: its own would be in /tmp, which enclosures do not share. Programs
 * inside need a link of the usual name. The lock file reserves the number atomically; a taken one exits with 98.
 */
const runner = programText(new URL('./runXvfb.sh', import.meta.url));

const taken = 98;

/** Numbers that other programs do not use. */
const firstNumber = 1_000;
const lastNumber = 60_000;

export async function startXServer(
  programs: Programs,
  folder: Folder,
  { width, height }: Size,
  timeoutMs: number,
): Promise<XServer> {
  const cookie = randomBytes(16);
  await folder.makeFolder('screen');
  const inside = (name: string) => join(folder.inside, name);
  for (let attempt = 0; attempt < 10; attempt++) {
    const number = randomInt(firstNumber, lastNumber);
    await folder.write('xauthority', authority(cookie, number));
    const listening = await listen(folder, 'x');
    const flags = ['-auth', inside('xauthority'), '-fbdir', inside('screen'), '-screen', '0', `${width}x${height}x24`];
    const [link, lock] = [`/tmp/.X11-unix/X${number}`, `/tmp/.X${number}-lock`];
    const status = await programs.supervise(
      [
        'sh',
        '-c',
        runner,
        'gyre-x',
        link,
        lock,
        inside('x'),
        'Xvfb',
        `:${number}`,
        '-displayfd',
        '1',
        ...flags,
        ...quiet,
      ],
      { leftovers: { link, target: inside('x'), second: lock }, listening, timeoutMs },
    );
    if (status === 'ready') {
      const [socket, screen] = [join(folder.onHost, 'x'), join(folder.onHost, 'screen', 'Xvfb_screen0')];
      return { display: `:${number}`, socket, cookie, screen };
    }
    if (status === taken) continue;
    const missing = status === 127;
    throw new GyreError(missing ? 'missing' : 'infra', missing ? 'Xvfb is not installed' : 'Xvfb did not start', {
      part: 'display',
      field: 'desktop',
      fix: missing ? 'run `apt-get install xvfb`' : `run it to see its error: Xvfb :99 ${flags.slice(4).join(' ')}`,
    });
  }
  throw new GyreError('infra', 'no display number is free', {
    part: 'display',
    field: 'desktop',
    fix: 'stop other X servers',
  });
}

/**
 * Survives without clients, no TCP, never blanks. No MIT-SHM: clients run as another user, whose shared memory Xvfb
 * could not open.
 */
const quiet = ['-noreset', '-extension', 'MIT-SHM', '-nolisten', 'tcp', '-s', '0', '-dpi', '96'];

const [familyLocal, familyWild] = [256, 65_535];

/**
 * Encodes a cookie for any host and display, and by name for clients without wildcards (python-xlib, and so pyautogui).
 */
function authority(cookie: Buffer, display: number): Buffer {
  const counted = (value: Buffer) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(value.length);
    return Buffer.concat([length, value]);
  };
  const entry = (family: number, host: string, number: string) => {
    const head = Buffer.alloc(2);
    head.writeUInt16BE(family);
    const names = [host, number, 'MIT-MAGIC-COOKIE-1'].map((text) => Buffer.from(text));
    return Buffer.concat([head, ...[...names, cookie].map(counted)]);
  };
  const local = [hostname, hostOfThis()].map((host) => entry(familyLocal, host, `${display}`));
  return Buffer.concat([...local, entry(familyWild, '', '')]);
}
