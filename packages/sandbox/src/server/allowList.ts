import { GyreError } from '@gyre/protocol';
import { isHostPort } from '../isolation/hostPorts.js';
import { machineAddress } from '../foreign/driven/http.js';
import type { SandboxLease } from '../lease/sandbox.js';

export interface AllowListOptions {
  readonly phones?: readonly string[];
  readonly remotes?: readonly string[];
  readonly hostPorts?: readonly string[];
}

/** Allow-lists devices and host ports: clients must not make the server connect to arbitrary hosts. */
export class AllowList {
  readonly #phones: ReadonlySet<string>;
  readonly #remotes: ReadonlySet<string>;
  readonly #hostPorts: ReadonlySet<string>;

  constructor({ phones = [], remotes = [], hostPorts = [] }: AllowListOptions) {
    const strange = remotes.find((url) => !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol));
    if (strange !== undefined) {
      throw new GyreError('bad_input', `"${strange}" is not a server address`, {
        field: 'remotes',
        fix: 'use addresses such as http://192.168.1.5:5000',
      });
    }
    if (phones.some((serial) => !/^[!-~]+$/.test(serial))) {
      throw new GyreError('bad_input', 'the serial of a phone is empty', {
        field: 'phones',
        fix: 'use serials from `adb devices`',
      });
    }
    this.#hostPorts = new Set(hostPorts);
    this.#phones = new Set(phones);
    this.#remotes = new Set(remotes.map(machineAddress));
  }

  /** Throws `bad_input`. */
  check(lease: SandboxLease): void {
    if ('network' in lease && typeof lease.network === 'object') {
      const strange = lease.network.allow.find((entry) => isHostPort(entry) && !this.#hostPorts.has(entry));
      if (strange !== undefined) throw refusal('network.allow', `its host at "${strange}"`, '--reach');
    }
    if (lease.kind === 'phone' && !this.#phones.has(lease.serial)) {
      throw refusal('serial', `the phone "${lease.serial}"`, '--phones');
    }
    if (lease.kind === 'remote' && !this.#remotes.has(machineAddress(lease.url))) {
      throw refusal('url', `the machine at "${lease.url}"`, '--remotes');
    }
  }
}

function refusal(field: string, target: string, flag: string): GyreError {
  return new GyreError('bad_input', `this server may not connect to ${target}`, {
    field,
    fix: `lease an allowed one, or ask the operator to allow it: gyre serve sandbox ${flag} …`,
  });
}
