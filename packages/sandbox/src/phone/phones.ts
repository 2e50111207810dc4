import type { AdbServerClient } from '@yume-chan/adb';
import { GyreError } from '@gyre/protocol';
import { adbServer, reasonOf, type AdbServerOptions } from './adbServer.js';

/** A device that an adb server knows. */
export interface ListedPhone {
  /** Names it among the others: a serial number, or `host:port` for one over the network. */
  readonly serial: string;
  /** As adb says it: `device` when it can be used, `unauthorized`, `offline`, `no permissions`, `recovery`, … */
  readonly state: string;
  /** Undefined until it can be used. */
  readonly model: string | undefined;
  /** What to do so that it can be used; empty where nothing has to be done. */
  readonly fix: string;
}

/** A line of the server's list. */
export interface Listed extends ListedPhone {
  /** Of this connection; another comes with another number. */
  readonly transport: bigint;
}

const fixes: Readonly<Record<string, string>> = {
  device: '',
  unauthorized: 'unlock the phone and allow USB debugging for this computer',
  authorizing: 'unlock the phone and allow USB debugging for this computer',
  offline: 'plug it in again, or run `adb reconnect offline`; over the network, `adb connect` it again',
  connecting: 'wait a moment',
  'no permissions':
    'let your user open the USB device: install android-sdk-platform-tools-common, or write a udev rule',
  bootloader: 'start Android: `fastboot reboot`',
  recovery: 'start Android: `adb reboot`',
  sideload: 'start Android: `adb reboot`',
  rescue: 'start Android: `adb reboot`',
};

/**
 * The devices that an adb server knows, with their state and what to do about it. Throws `missing` or `infra` where there
 * is no server.
 */
export async function listPhones(options: AdbServerOptions = {}): Promise<ListedPhone[]> {
  const listed = await phonesOf(await adbServer(options));
  return listed.map(({ serial, state, model, fix }) => ({ serial, state, model, fix }));
}

export async function phonesOf(client: AdbServerClient): Promise<Listed[]> {
  // The client's own list leaves out devices in other states than two.
  let list: string;
  try {
    const answer = await client.createConnection('host:devices-l');
    list = await answer.readString();
    await answer.dispose();
  } catch (cause) {
    throw new GyreError('infra', `the adb server does not list its phones: ${reasonOf(cause)}`, {
      part: 'phone',
      field: 'port',
      fix: 'run `adb devices -l` and see what it says',
      cause,
    });
  }
  return parseList(list);
}

/** Reads `adb devices -l`: the serial, the state, which may be several words, and pairs such as `model:Pixel_7`. */
export function parseList(list: string): Listed[] {
  return list.split('\n').flatMap((line) => {
    const parts = /^(\S+)\s+(.*)$/.exec(line.trim());
    if (parts === null) return [];
    const [, serial = '', rest = ''] = parts;
    const pair = (name: string) => new RegExp(String.raw`(?:^|\s)${name}:(\S+)`).exec(rest)?.[1];
    const said = rest.replace(/(?:^|\s)(?:usb|product|model|device|transport_id):\S+/g, '').trim();
    const state = said.startsWith('no permissions') ? 'no permissions' : (/^[a-z]+/.exec(said)?.[0] ?? said);
    const fix = fixes[state] ?? 'see what `adb devices -l` says about it';
    return [{ serial, state, model: pair('model'), fix, transport: BigInt(pair('transport_id') ?? 0) }];
  });
}

/**
 * The device of that name that can be used, or the only one. Throws `infra` where there is none, or not in a state to be
 * used, and `bad_input` where there are several.
 */
export async function choosePhone(client: AdbServerClient, serial: string | undefined): Promise<Listed> {
  const all = await phonesOf(client);
  const named = serial === undefined ? all : all.filter((phone) => phone.serial === serial);
  if (named.length === 0) {
    const known = all.length === 0 ? 'none' : all.map((phone) => phone.serial).join(', ');
    const wanted =
      serial === undefined ? 'no phone is connected' : `no phone "${serial}" is connected; there is ${known}`;
    throw new GyreError('infra', wanted, {
      part: 'phone',
      field: 'serial',
      fix: 'plug one in with USB debugging on (in its developer options), or `adb connect HOST:PORT` it, and see `adb devices`',
    });
  }
  const usable = named.filter((phone) => phone.state === 'device');
  if (usable.length > 1) {
    throw new GyreError('bad_input', `${usable.length} phones are connected`, {
      field: 'serial',
      fix: `name one of ${usable.map((phone) => phone.serial).join(', ')}`,
    });
  }
  if (usable[0] !== undefined) return usable[0];
  const { serial: name, state, fix } = named[0]!;
  throw new GyreError('infra', `the phone "${name}" is ${state}`, { part: 'phone', field: 'serial', fix });
}
