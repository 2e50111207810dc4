import { z } from 'zod';
import type { SessionLink } from './clientTools.js';
import type { PhoneApp } from '../phone/apps.js';
import type { PhoneNode } from '../phone/tree.js';
import type { RemoteAccessibility } from '../foreign/driven/driver.js';
import { PhoneAppInfo, PhoneCurrent, PhoneTree, RemoteTree } from '../server/deviceWire.js';

/** What only phones have, of a session elsewhere; see `Phone`. */
export interface ClientPhone {
  tree(): Promise<PhoneNode[]>;
  readonly apps: {
    list(): Promise<PhoneApp[]>;
    current(): Promise<PhoneApp | undefined>;
    launch(name: string): Promise<void>;
    stop(name: string): Promise<void>;
  };
}

/** What machines elsewhere have beside a screen, a shell and files, of a session elsewhere; see `Remote`. */
export interface ClientRemote {
  accessibility(): Promise<RemoteAccessibility>;
  launch(program: string, args?: readonly string[]): Promise<void>;
}

/** A phone by way of a server: each throws what the server throws. */
export function clientPhone({ json, send }: SessionLink): ClientPhone {
  return {
    // The server says it as it was told it.
    tree: async () => (await json('GET', '/phone/tree', PhoneTree)) as unknown as PhoneNode[],
    apps: {
      list: () => json('GET', '/phone/apps', z.array(PhoneAppInfo)),
      current: async () => (await json('GET', '/phone/apps/current', PhoneCurrent)).app,
      launch: async (name) => void (await send('POST', '/phone/apps/launch', { name })),
      stop: async (name) => void (await send('POST', '/phone/apps/stop', { name })),
    },
  };
}

/** A machine elsewhere by way of a server: each throws what the server throws. */
export function clientRemote({ json, send }: SessionLink): ClientRemote {
  return {
    accessibility: () => json('GET', '/remote/accessibility', RemoteTree),
    launch: async (program, args = []) => void (await send('POST', '/launch', { program, args })),
  };
}
