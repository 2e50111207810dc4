import { GyreError } from '@gyre/protocol';
import { machineAddress } from '../remote/http.js';
import type { SandboxLease } from '../sandbox.js';

export interface ReachOptions {
  readonly phones?: readonly string[];
  readonly remotes?: readonly string[];
}

/**
 * What of devices may be leased over HTTP: what whoever starts the server has named, and nothing else. A lease is a wish of a client,
 * and must not make the server connect to any host that the client likes.
 */
export class Reach {
  readonly #phones: ReadonlySet<string>;
  readonly #remotes: ReadonlySet<string>;

  /** Throws `bad_input` for what names no phone and no server. */
  constructor({ phones = [], remotes = [] }: ReachOptions) {
    const strange = remotes.find((url) => !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol));
    if (strange !== undefined) {
      throw new GyreError('bad_input', `"${strange}" is no address of a server on a machine`, {
        field: 'remotes',
        fix: 'name each by an address such as http://192.168.1.5:5000',
      });
    }
    if (phones.some((serial) => !/^[!-~]+$/.test(serial))) {
      throw new GyreError('bad_input', 'a phone without a serial may be leased by nobody', {
        field: 'phones',
        fix: 'name each as `adb devices` does',
      });
    }
    this.#phones = new Set(phones);
    this.#remotes = new Set(remotes.map(machineAddress));
  }

  /** Throws `bad_input` for a lease of a device that was not named. */
  check(lease: SandboxLease): void {
    if (lease.kind === 'phone' && !this.#phones.has(lease.serial)) {
      throw refusal('serial', `the phone "${lease.serial}"`, '--phones');
    }
    if (lease.kind === 'remote' && !this.#remotes.has(machineAddress(lease.url))) {
      throw refusal('url', `the machine at "${lease.url}"`, '--remotes');
    }
  }
}

function refusal(field: string, what: string, flag: string): GyreError {
  return new GyreError('bad_input', `this server may not connect to ${what}`, {
    field,
    fix: `lease one that it may, or ask whoever runs it to name this one: gyre serve sandbox ${flag} …`,
  });
}
