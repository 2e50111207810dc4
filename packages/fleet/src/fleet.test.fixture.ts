import { AccessTokens, Delegation, Sandbox, serveSandbox } from '@gyre/sandbox';
import { serveFleet } from './front/server.js';
import { connectNats } from './nats/connect.js';
import { serverHost } from './node/host.js';
import { FleetNode } from './node/node.js';
import type { Times } from './times.js';
import { newInstance } from './wire/names.js';

/** `node fleet.test.fixture.js node|front JSON` is a real node or front, which prints a line of JSON once it serves. */
export interface ProcessOptions {
  readonly nats: string;
  readonly fleet: string;
  readonly times: Times;
  readonly name?: string;
  readonly capacity?: number;
  readonly isolation?: 'none' | 'auto';
  readonly token?: string;
  readonly perOwner?: number;
  readonly direct?: boolean;
}

const [, , role, json = '{}'] = process.argv;
const options = JSON.parse(json) as ProcessOptions;
const { nats, fleet, times } = options;
const nc = await connectNats({ servers: [nats] }, 'test');
if (role === 'node') {
  const { name = 'node', capacity = 4, isolation = 'auto' } = options;
  const instance = newInstance(name);
  const token = AccessTokens.random();
  const delegation = new Delegation(token);
  const sandbox = await Sandbox.start({ isolation, name: instance });
  const tokens = [{ token: AccessTokens.random(), scope: 'admin' as const }];
  const server = await serveSandbox({ sandbox, tokens, delegation, maxSessions: capacity, labels: { name } });
  const { url } = server;
  const host = serverHost({ server, delegation, url, warm: () => sandbox.warm });
  const none = { phones: [], remotes: [], images: [], roots: [] };
  const offer = { url, kinds: ['shell' as const, 'browser' as const], labels: { name }, capacity, ...none };
  await FleetNode.join({ nc, fleet, instance, token, offer, host, times });
  process.stdout.write(`${JSON.stringify({ instance, url })}\n`);
} else {
  const { token = '', perOwner, direct } = options;
  const tokens = [{ token, scope: 'admin' as const }];
  const { url, front } = await serveFleet({ nc, fleet, tokens, perOwner, direct, times });
  process.stdout.write(`${JSON.stringify({ url, id: front.id })}\n`);
}
