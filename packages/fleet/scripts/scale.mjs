/**
 * Measures a fleet at a scale that one machine can hold: real fronts, a real nats-server and the nodes' real protocol; the machines
 * behind the nodes are doubles (`HostDouble`), so that a session costs nothing but its lease.
 *
 *     node packages/fleet/scripts/scale.mjs --nodes 200 --sessions 10000 --seconds 10 --clients 64 [--per-owner N] [--json]
 *
 * Needs a build and nats-server. Fills the fleet to `--sessions`, then keeps it there: each client releases a session and leases
 * another. Then a tenth of the nodes die without a word, and the time until their sessions are reclaimed and leased again is taken.
 */
import { spawn } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connectNats } from '../dist/nats/connect.js';
import { HostDouble } from '../dist/double/hostDouble.js';
import { Front } from '../dist/front/front.js';
import { FleetNode } from '../dist/node/node.js';
import { NatsProcess } from '../dist/natsServer.test.support.js';
import { defaultTimes } from '../dist/times.js';
import { newInstance } from '../dist/wire/names.js';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '200' },
    sessions: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '10' },
    clients: { type: 'string', default: '64' },
    'per-owner': { type: 'string' },
    json: { type: 'boolean', default: false },
    /** Internal: this process holds the nodes. */
    host: { type: 'string' },
  },
});
const [nodes, sessions, seconds, clients] = [values.nodes, values.sessions, values.seconds, values.clients].map(Number);
const capacity = Math.ceil((sessions / nodes) * 1.3);
const fleet = 'scale';
const megabytes = () => Math.round(process.memoryUsage().rss / 2 ** 20);

if (values.host !== undefined) await holdNodes(values.host);
else await measure();

/** Half of the nodes share a connection with those of the other groups; a group dies with its connection. */
async function holdNodes(url) {
  const groups = 10;
  const none = { phones: [], remotes: [], images: [], roots: [] };
  const connections = [];
  const hosts = new Map();
  for (let group = 0; group < groups; group++) {
    const nc = await connectNats({ servers: [url] }, `group ${group}`);
    connections.push(nc);
    for (let index = group; index < nodes; index += groups) {
      const instance = newInstance(`node${index}`);
      const host = new HostDouble(instance, capacity);
      hosts.set(instance, host);
      const offer = { url: 'http://127.0.0.1:9', kinds: ['shell'], labels: {}, capacity, ...none };
      await FleetNode.join({ nc, fleet, instance, token: 'a token of sixteen characters', offer, host });
    }
  }
  // What a client would do by HTTP at the node.
  const nc = await connectNats({ servers: [url] }, 'releases');
  nc.subscribe('scale.release', {
    callback: (_, message) => {
      const id = message.string();
      hosts.get(id.slice(0, id.lastIndexOf('-')))?.release(id);
      message.respond();
    },
  });
  process.on('message', async (word) => {
    if (word === 'lose') await connections[0].close();
    process.send({ megabytes: megabytes() });
  });
  process.send({ megabytes: megabytes() });
}

async function measure() {
  const nats = await NatsProcess.start();
  const child = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), ...process.argv.slice(2), '--host', nats.url],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  const answer = () => new Promise((resolve) => child.once('message', resolve));
  try {
    await answer();
    const nc = await connectNats({ servers: [nats.url] }, 'front');
    const perOwner = values['per-owner'] === undefined ? undefined : Number(values['per-owner']);
    const front = await Front.join({ nc, fleet, perOwner });
    const empty = megabytes();
    const leased = [];
    const lost = () => undefined;
    let owners = 0;
    const lease = async (latencies) => {
      const owner = `owner${owners++ % 100}`;
      const begin = performance.now();
      const placed = await front.lease(
        { kind: 'shell', waitMs: 60_000 },
        { owner, signal: new AbortController().signal },
      );
      latencies?.push(performance.now() - begin);
      placed.keep();
      leased.push(placed.session.id);
    };
    const release = async () => {
      const [id] = leased.splice(Math.floor(Math.random() * leased.length), 1);
      await nc.request('scale.release', id, { timeout: 10_000 });
    };
    const inParallel = (work) => Promise.all(Array.from({ length: clients }, work));

    const fillBegin = performance.now();
    const filling = [];
    await inParallel(async () => {
      while (leased.length + clients <= sessions) await lease(filling);
    });
    const fillSeconds = (performance.now() - fillBegin) / 1_000;

    const latencies = [];
    let operations = 0;
    const end = performance.now() + seconds * 1_000;
    const begin = performance.now();
    const cpu = process.cpuUsage();
    await inParallel(async () => {
      while (performance.now() < end) {
        await release();
        await lease(latencies);
        operations += 2;
      }
    });
    const used = process.cpuUsage(cpu);
    const elapsed = (performance.now() - begin) / 1_000;
    const full = megabytes();

    child.send('lose');
    const lossBegin = performance.now();
    const { megabytes: nodeMegabytes } = await answer();
    const before = front.members.size;
    while (front.members.size > before - Math.ceil(nodes / 10) * 0.99 && performance.now() - lossBegin < 60_000) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const noticed = performance.now() - lossBegin;
    const dead = leased.filter((id) => front.members.node(id.slice(0, id.lastIndexOf('-'))) === undefined);
    const again = [...dead];
    for (const id of dead) leased.splice(leased.indexOf(id), 1);
    await inParallel(async () => {
      while (again.pop() !== undefined) await lease().catch(lost);
    });
    const recovered = performance.now() - lossBegin;

    latencies.sort((a, b) => a - b);
    const quantile = (share) => Math.round((latencies[Math.floor(latencies.length * share)] ?? 0) * 10) / 10;
    const result = {
      doubled: 'machines',
      cores: availableParallelism(),
      load: loadavg()[0],
      nodes,
      sessions: leased.length,
      clients,
      perOwner,
      fillPerSecond: Math.round(filling.length / fillSeconds),
      operationsPerSecond: Math.round(operations / elapsed),
      p50: quantile(0.5),
      p99: quantile(0.99),
      frontCores: Math.round(((used.user + used.system) / 1e6 / elapsed) * 100) / 100,
      microsecondsPerOperation: Math.round((used.user + used.system) / operations),
      frontMegabytes: { empty, full },
      nodeMegabytes,
      loss: {
        sessions: dead.length,
        noticedMs: Math.round(noticed),
        recoveredMs: Math.round(recovered),
        lostMs: defaultTimes.lostMs,
      },
    };
    if (values.json) console.log(JSON.stringify(result));
    else
      console.table(
        Object.entries(result).map(([name, value]) => [
          name,
          typeof value === 'object' ? JSON.stringify(value) : value,
        ]),
      );
    await front.leave();
    await nc.close();
  } finally {
    child.kill('SIGKILL');
    await nats.close();
  }
}
