/**
 * Runs a trainer, its rollout workers, a fleet and NATS on hosts of their own, kills and partitions them at random, and counts what
 * was lost:
 *
 *     node scripts/fleet/chaos.mjs [--minutes 20] [--seed 1] [--hosts 4] [--keep]
 *
 * Hosts are network namespaces of this machine with one file system. Each has a node with real browsers and a rollout worker; three
 * have a server of one NATS cluster, two a front, the last one the trainer. Needs a build, Linux, root, nats-server, iproute2, and 6 GB
 * of memory. A fault is a line of JSON; tables and a line of JSON with the result follow. Exit status 1 if an episode was lost or trained on twice, an
 * infrastructure fault was scored, or a session was left behind.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Random } from '../../packages/engine/dist/index.js';
import { FolderStore, Lake } from '../../packages/lake/dist/index.js';
import { connectNats } from '../../packages/fleet/dist/nats/connect.js';
import { Bucket } from '../../packages/fleet/dist/nats/bucket.js';
import { enterNamespaces, Host, listens, processes, startNats, until } from './hosts.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    hosts: { type: 'string', default: '4' },
    keep: { type: 'boolean', default: false },
  },
});
const folder = await enterNamespaces({ keep: values.keep });

const minutes = Number(values.minutes);
const random = new Random(Number(values.seed));
const store = join(folder, 'store');
const run = join(folder, 'run');
for (const path of [store, run]) mkdirSync(path);
const fleet = 'chaos';
const GYRE_TOKEN = 'a-token-for-the-hosts-of-one-test';
const hosts = Array.from({ length: Number(values.hosts) }, (_, index) => new Host(index + 1, folder));
const [natsHosts, frontHosts, trainerHost] = [hosts.slice(0, 3), hosts.slice(0, 2), hosts.at(-1)];
const servers = natsHosts.map(({ address }) => `nats://${address}:4222`);
const joined = ['--join', servers.join(','), '--fleet', fleet];
const tally = {};

const starts = {
  nats: (host) => startNats(host, natsHosts, folder),
  front: (host) =>
    host.startGyre('front', ['serve', 'fleet', ...joined, '--host', host.address, '--port', '8800'], { GYRE_TOKEN }),
  node: (host) => {
    const args = ['--host', host.address, '--port', '8700', '--node-name', host.name, '--sessions', '4'];
    return host.startGyre('node', ['serve', 'sandbox', ...joined, ...args], { GYRE_TOKEN });
  },
  worker: (host) => {
    const front = frontHosts[hosts.indexOf(host) % frontHosts.length];
    const args = ['--announced', '--store', store, '--sessions', '2', '--worker-name', host.name];
    const place = ['--sandbox', `http://${front.address}:8800`, '--directory', join(folder, `${host.name}-worker`)];
    return host.startGyre('worker', ['worker', ...joined, ...args, ...place], { GYRE_TOKEN });
  },
  trainer: (host) => {
    const args = ['--store', store, '--settings', settings, '--directory', run, '--iterations', '100000'];
    const more = existsSync(join(run, 'practice')) ? ['--resume'] : [];
    return host.startGyre('trainer', ['train', 'ppo', ...joined, ...args, ...more]);
  },
};

const settings = join(folder, 'settings.json');
const ppo = { decisions: 48, staleness: 1, replay: { steps: 0 } };
writeFileSync(settings, JSON.stringify({ families: ['click'], from: 'pixels', sessions: 8, ppo }));

/** Each has a weight: what is cheap to lose is lost more often. */
const faults = [
  ['node', 'kill', hosts, 3],
  ['worker', 'kill', hosts, 3],
  ['front', 'kill', frontHosts, 2],
  ['nats', 'kill', natsHosts, 2],
  ['trainer', 'kill', [trainerHost], 1],
  ['host', 'partition', hosts, 3],
].flatMap(([role, how, among, weight]) => Array.from({ length: weight }, () => ({ role, how, among })));

let failure;
try {
  await startAll();
  console.log(JSON.stringify({ started: hosts.length, folder }));
  const end = performance.now() + minutes * 60_000;
  while (performance.now() < end) await strike();
  await settle();
  await report();
} catch (error) {
  failure = error;
  console.error(`error: ${error.stack}`);
}
process.exit(failure === undefined ? 0 : 1);

async function startAll() {
  for (const host of natsHosts) starts.nats(host);
  await until('NATS', async () =>
    (await Promise.all(natsHosts.map(({ address }) => listens(address, 4222)))).every(Boolean),
  );
  await until('a leader of JetStream', () =>
    natsHosts.some((host) => /JetStream cluster new metadata leader/.test(host.program('nats').text())),
  );
  for (const host of frontHosts) starts.front(host);
  await until('fronts', async () =>
    (await Promise.all(frontHosts.map(({ address }) => listens(address, 8800)))).every(Boolean),
  );
  for (const host of hosts) starts.node(host);
  await until('nodes', async () => (await ask('/v1/nodes'))?.length === hosts.length);
  starts.trainer(trainerHost);
  for (const host of hosts) starts.worker(host);
  await until('two iterations', () => iterations().length >= 2, 600_000);
}

/** Asks the first front that answers; undefined without one. */
async function ask(path) {
  for (const { address } of frontHosts) {
    const headers = { authorization: `Bearer ${GYRE_TOKEN}` };
    const answer = await fetch(`http://${address}:8800${path}`, { headers, signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    );
    if (answer?.ok) return answer.json();
  }
  return undefined;
}

function record(host, fault, more) {
  tally[fault] = (tally[fault] ?? 0) + 1;
  const time = new Date().toISOString();
  console.log(JSON.stringify({ time, host: host.name, fault, ...more, iterations: iterations().length }));
}

/** One fault, and its end. */
async function strike() {
  const { role, how, among } = faults[random.int(faults.length)];
  const host = among[random.int(among.length)];
  const seconds = 2 + random.int(how === 'partition' ? 14 : 6);
  record(host, `${role} ${how}`, { seconds });
  if (how === 'partition') host.partition();
  else await host.end(role);
  await delay(seconds * 1_000);
  if (how === 'partition') host.heal();
  else starts[role](host);
  await delay((4 + random.int(8)) * 1_000);
  revive();
}

/** Programs that gave up by themselves are counted, and started again as a supervisor would. */
function revive() {
  for (const host of hosts) {
    for (const role of Object.keys(starts)) {
      const program = host.program(role);
      if (program === undefined || program.isRunning()) continue;
      record(host, `${role} gave up`, { words: program.text().trim().split('\n').at(-1) });
      starts[role](host);
    }
  }
}

/** Waits until the loop runs again, then ends it in order. */
async function settle() {
  const before = iterations().length;
  await until('an iteration after the last fault', () => (revive(), iterations().length > before), 600_000);
  await trainerHost.end('trainer', 'SIGINT');
  await Promise.all(hosts.map((host) => host.end('worker', 'SIGTERM')));
}

function iterations() {
  const file = join(run, 'practice', 'state.json');
  if (!existsSync(file)) return [];
  return JSON.parse(readFileSync(file, 'utf8')).stages.filter(({ stage }) => stage.startsWith('iteration '));
}

async function report() {
  const nc = await connectNats({ servers }, 'audit');
  const results = await (await Bucket.open(nc, `gyre_${fleet}_results`)).entries();
  await nc.close();
  const acknowledged = results
    .filter(({ value }) => JSON.parse(Buffer.from(value).toString()).state === 'stored')
    .map(({ key }) => key);
  const trained = iterations().flatMap(({ outcome }) => outcome.trained);
  const stored = await episodesOf(join(folder, 'reader'), store);
  const learnt = await episodesOf(run);
  const counts = {
    lost: acknowledged.filter((id) => !stored.has(id)).length + trained.filter((id) => !learnt.has(id)).length,
    trainedTwice: trained.length - new Set(trained).size,
    faultsScored:
      [...stored.values(), ...learnt.values()].filter(({ state, verdict }) => state === 'infra_error' && verdict)
        .length + trained.filter((id) => learnt.get(id)?.state === 'infra_error').length,
    sessionsLeft: await leftSessions(),
    processesLeft: await leftProcesses(),
  };
  const result = {
    ...{ minutes, seed: Number(values.seed), hosts: hosts.length, faults: tally },
    ...{ acknowledged: acknowledged.length, givenUp: results.length - acknowledged.length },
    ...{ iterations: iterations().length, trained: trained.length, ...counts },
  };
  console.table(tally);
  console.table(counts);
  console.log(JSON.stringify(result));
  // Without an answer a count is not a number.
  if (!Object.values(counts).every((count) => count === 0)) throw new Error('see the counts above');
}

async function episodesOf(directory, from) {
  const lake = await Lake.open(join(directory, 'lake'));
  const known = new Map();
  try {
    if (from !== undefined) await lake.pull(new FolderStore(from));
    for await (const { id, state, verdict } of lake.episodes({})) known.set(id, { state, verdict });
  } finally {
    await lake.close();
  }
  return known;
}

/** Sessions of workers that were killed end with their leases. */
async function leftSessions() {
  const count = async () => (await ask('/v1/sessions'))?.length;
  await until('the leases to end', async () => (await count()) === 0, 300_000).catch(() => undefined);
  return (await count()) ?? NaN;
}

/** Ends all programs; what they started must end with them. */
async function leftProcesses() {
  await Promise.all(hosts.flatMap((host) => ['node', 'front'].map((role) => host.end(role, 'SIGTERM'))));
  await Promise.all(natsHosts.map((host) => host.end('nats', 'SIGTERM')));
  await until('processes to end', () => processes().length === 0, 20_000).catch(() => undefined);
  for (const words of processes()) console.error(`left: ${words.slice(0, 200)}`);
  return processes().length;
}
