import type { AdbServerClient } from '@yume-chan/adb';
import { GyreError } from '@gyre/protocol';
import { adbServer, reasonOf, type AdbServerOptions } from './adbServer.js';

export interface ListedPhone {
  /** Or `host:port` of a network phone. */
  readonly serial: string;
  /** adb's: `device` (usable), `unauthorized`, `offline`, `no permissions`, `recovery`, ... */
  readonly state: string;
  readonly model: string | undefined;
  /** Empty if usable. */
  readonly fix: string;
}

export interface Listed extends ListedPhone {
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

export async function listPhones(options: AdbServerOptions = {}): Promise<ListedPhone[]> {
  const listed = await phonesOf(await adbServer(options));
  return listed.map(({ serial, state, model, fix }) => ({ serial, state, model, fix }));
}

export async function phonesOf(client: AdbServerClient): Promise<Listed[]> {
  // The client's own list omits most states.
  let list: string;
  try {
    const answer = await client.createConnection('host:devices-l');
    list = await answer.readString();
    await answer.dispose();
  } catch (cause) {
    throw new GyreError('infra', `the adb server did not list its phones: ${reasonOf(cause)}`, {
      part: 'phone',
      field: 'port',
      fix: 'run `adb devices -l` to see its error',
      cause,
    });
  }
  return parseList(list);
}

/** Parses `adb devices -l`: serial, state (one or more words), pairs such as `model:Pixel_7`. */
export function parseList(list: string): Listed[] {
  return list.split('\n').flatMap((line) => {
    const parts = /^(\S+)\s+(.*)$/.exec(line.trim());
    if (parts === null) return [];
    const [, serial = '', rest = ''] = parts;
    const pair = (name: string) => new RegExp(String.raw`(?:^|\s)${name}:(\S+)`).exec(rest)?.[1];
    const text = rest.replace(/(?:^|\s)(?:usb|product|model|device|transport_id):\S+/g, '').trim();
    const state = text.startsWith('no permissions') ? 'no permissions' : (/^[a-z]+/.exec(text)?.[0] ?? text);
    const fix = fixes[state] ?? 'check `adb devices -l`';
    return [{ serial, state, model: pair('model'), fix, transport: BigInt(pair('transport_id') ?? 0) }];
  });
}

/**
 * Returns the usable device of that serial, or the only one. Throws `infra` if missing or unusable, `bad_input` if
 * there are several.
 */
export async function choosePhone(client: AdbServerClient, serial: string | undefined): Promise<Listed> {
  const devices = await phonesOf(client);
  const named = serial === undefined ? devices : devices.filter((phone) => phone.serial === serial);
  if (named.length === 0) {
    const known = devices.length === 0 ? 'none' : devices.map((phone) => phone.serial).join(', ');
    const reason = serial === undefined ? 'no phone is connected' : `no phone "${serial}" is connected; found ${known}`;
    throw new GyreError('infra', reason, {
      part: 'phone',
      field: 'serial',
      fix: 'plug one in with USB debugging on (in its developer options), or run `adb connect HOST:PORT`, and check `adb devices`',
    });
  }
  const usable = named.filter((phone) => phone.state === 'device');
  if (usable.length > 1) {
    throw new GyreError('bad_input', `${usable.length} phones are connected`, {
      field: 'serial',
      fix: `use one of ${usable.map((phone) => phone.serial).join(', ')}`,
    });
  }
  if (usable[0] !== undefined) return usable[0];
  const { serial: name, state, fix } = named[0]!;
  throw new GyreError('infra', `the phone "${name}" is ${state}`, { part: 'phone', field: 'serial', fix });
}
