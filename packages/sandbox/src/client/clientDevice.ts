import type { RemoteAccessibility } from '../foreign/driven/driver.js';
import type { PhoneApp } from '../phone/apps.js';
import type { PhoneNode } from '../phone/tree.js';
import { desktop as desktopRoutes } from '../wire/desktop.js';
import { phone as phoneRoutes, remote as remoteRoutes } from '../wire/device.js';
import type { SessionLink } from './sessionLink.js';

/** See `Phone`. */
export interface ClientPhone {
  tree(): Promise<PhoneNode[]>;
  readonly apps: {
    list(): Promise<PhoneApp[]>;
    current(): Promise<PhoneApp | undefined>;
    launch(name: string): Promise<void>;
    stop(name: string): Promise<void>;
  };
}

/** See `Remote`. */
export interface ClientRemote {
  accessibility(): Promise<RemoteAccessibility>;
  launch(program: string, args?: readonly string[]): Promise<void>;
}

export function clientPhone({ id, call }: SessionLink): ClientPhone {
  const params = { id };
  return {
    tree: () => call(phoneRoutes.tree, { params }),
    apps: {
      list: () => call(phoneRoutes.apps, { params }),
      current: async () => (await call(phoneRoutes.currentApp, { params })).app,
      launch: (name) => call(phoneRoutes.launchApp, { params, body: { name } }),
      stop: (name) => call(phoneRoutes.stopApp, { params, body: { name } }),
    },
  };
}

export function clientRemote({ id, call }: SessionLink): ClientRemote {
  const params = { id };
  return {
    accessibility: () => call(remoteRoutes.accessibility, { params }),
    launch: (program, args = []) => call(desktopRoutes.launch, { params, body: { program, args: [...args] } }),
  };
}
