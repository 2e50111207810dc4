import { connectNats, FleetNode, type NatsOptions, newInstance, type Offer, serverHost } from '@gyre/fleet';
import {
  AccessTokens,
  Delegation,
  findBrowser,
  missingForDesktop,
  missingForVm,
  type Sandbox,
  type SandboxKind,
  type SandboxServer,
  type ServerOptions,
} from '@gyre/sandbox';
import { hostname } from 'node:os';

export interface Membership {
  /** Begins the ids of the node's sessions. */
  readonly instance: string;
  readonly delegation: Delegation;
  readonly token: string;
}

/** Throws `bad_input` for an invalid name. */
export function membership(
  name = hostname()
    .replaceAll(/[^\w-]/g, '-')
    .slice(0, 48),
): Membership {
  const token = AccessTokens.random();
  return { instance: newInstance(name), token, delegation: new Delegation(token) };
}

/** Offers a server's sessions to a fleet. */
export async function joinFleet(
  { instance, delegation, token }: Membership,
  {
    nats,
    fleet,
    url,
    sandbox,
    server,
    options,
  }: {
    readonly nats: NatsOptions;
    readonly fleet: string;
    readonly url: string;
    readonly sandbox: Sandbox;
    readonly server: SandboxServer;
    readonly options: ServerOptions;
  },
): Promise<{ leave(): Promise<void> }> {
  const nc = await connectNats(nats, instance);
  const { phones = [], remotes = [], images = {}, roots = {}, labels = {} } = options;
  const offer: Offer = {
    url,
    kinds: offeredKinds(options),
    labels,
    capacity: server.leases.maxSessions,
    phones: [...phones],
    remotes: [...remotes],
    images: Object.keys(images),
    roots: Object.keys(roots),
  };
  const host = serverHost({ server, delegation, url, warm: () => sandbox.warm });
  const node = await FleetNode.join({ nc, fleet, instance, token, offer, host });
  return {
    async leave() {
      await node.leave();
      await nc.close();
    },
  };
}

/** Returns the kinds that this machine can lease. */
function offeredKinds({ phones = [], remotes = [], images = {} }: ServerOptions): SandboxKind[] {
  const kinds: readonly (readonly [SandboxKind, boolean])[] = [
    ['browser', hasBrowser()],
    ['desktop', missingForDesktop().length === 0],
    ['shell', true],
    ['vm', Object.keys(images).length > 0 && missingForVm().length === 0],
    ['phone', phones.length > 0],
    ['remote', remotes.length > 0],
  ];
  return kinds.filter(([, isOffered]) => isOffered).map(([kind]) => kind);
}

function hasBrowser(): boolean {
  try {
    return findBrowser().path !== '';
  } catch {
    return false;
  }
}
