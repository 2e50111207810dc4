import { GyreError } from '@gyre/protocol';
import { deviceKinds } from '../kind.js';
import { type AdbServerOptions, adbAddress } from '../../phone/adbServer.js';
import type { LeasedDevice } from '../quotas.js';
import { machineAddress } from '../../foreign/driven/http.js';
import type { Device } from './device.js';
import { type PhoneTerms, phoneDevice } from './phoneDevice.js';
import { type RemoteTerms, remoteDevice } from './remoteDevice.js';

export type DeviceTerms = PhoneTerms | RemoteTerms;

/** Options of machines that gyre starts. */
const machineOnly = ['size', 'network', 'limits', 'readable', 'env', 'clock', 'touch', 'stepMs', 'wine', 'vm', 'root'];

export function isDevice(terms: { readonly kind: string }): terms is DeviceTerms {
  return deviceKinds.some((kind) => kind === terms.kind);
}

/** Identifies the device, which leases never share. Throws `bad_input`. */
export function deviceOf(terms: DeviceTerms, adb: AdbServerOptions = {}): LeasedDevice {
  const stray = machineOnly.find((field) => Object.hasOwn(terms, field) && terms[field as keyof DeviceTerms]);
  if (stray !== undefined) {
    throw new GyreError('bad_input', `a ${terms.kind} does not support ${stray}`, {
      field: stray,
      fix: 'omit it',
    });
  }
  if (terms.kind === 'remote') return { field: 'url', name: machineAddress(terms.url) };
  const { serial } = terms;
  if (typeof serial !== 'string' || !/^[!-~]{1,255}$/.test(serial)) {
    throw new GyreError('bad_input', 'the serial of the phone is missing', {
      field: 'serial',
      fix: 'use a serial from `adb devices`, or host:port of a phone on the network',
    });
  }
  return { field: 'serial', name: `${serial} of the adb server at ${adbAddress({ ...adb, ...terms })}` };
}

export function openDevice(terms: DeviceTerms, adb: AdbServerOptions = {}): Promise<Device> {
  return terms.kind === 'remote' ? remoteDevice(terms) : phoneDevice({ ...adb, ...terms });
}
