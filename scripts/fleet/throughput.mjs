/**
 * Measures how rollouts scale with hosts when turns wait for a model server:
 *
 *     node scripts/fleet/throughput.mjs [--hosts 1,2,4] [--sessions 4] [--latency 3000] [--seconds 60]
 *
 * Each host is a network namespace of this machine with a worker and a browser of its own; NATS is real. The model server is a double
 * that answers every request with a click, `--latency` ms later. Needs a build, Linux, root, nats-server and iproute2. Prints one line of
 * JSON for each number of hosts.
 */
import { createServer } from 'node:http';
import { mkdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connectNats } from '../../packages/fleet/dist/nats/connect.js';
import { RolloutQueue } from '../../packages/fleet/dist/rollouts/rolloutQueue.js';
import { addressOf, enterNamespaces, Host, listens, startNats, until } from './hosts.mjs';

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '1,2,4' },
    sessions: { type: 'string', default: '4' },
    latency: { type: 'string', default: '3000' },
    seconds: { type: 'string', default: '60' },
  },
});
const folder = await enterNamespaces();

const [sessions, latency, seconds] = [values.sessions, values.latency, values.seconds].map(Number);
const counts = values.hosts.split(',').map(Number);
const model = await modelDouble(latency);
const hosts = Array.from({ length: Math.max(...counts) }, (_, index) => new Host(index + 1, folder));
const server = `nats://${hosts[0].address}:4222`;
startNats(hosts[0], [], folder);
await until('NATS', () => listens(hosts[0].address, 4222));

const rows = [];
for (const count of counts) rows.push(await measure(count));
for (const { hosts: count, turnsPerSecond } of rows) {
  console.log(
    `${count} hosts: ${(turnsPerSecond / rows[0].turnsPerSecond).toFixed(2)} times the turns of ${rows[0].hosts}`,
  );
}
process.exit(0);

/** A model server that waits, as a large model would, but does not think. */
async function modelDouble(ms) {
  let answers = 0;
  const content = "Thought: The screen waits for a click.\nAction: click(start_box='(80,80)')";
  const usage = { prompt_tokens: 500, completion_tokens: 20, total_tokens: 520 };
  const server = createServer((request, response) => {
    request.resume().on('end', async () => {
      const isList = request.method === 'GET';
      if (!isList) await delay(ms);
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
      const completion = { id: 'x', object: 'chat.completion', created: 1, model: 'double', choices, usage };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isList ? { object: 'list', data: [{ id: 'double', object: 'model' }] } : completion));
      if (!isList) answers++;
    });
  });
  await new Promise((resolve) => server.listen(9_000, addressOf(254), resolve));
  return { url: `http://${addressOf(254)}:9000/v1`, answers: () => answers };
}

async function measure(count) {
  const fleet = `hosts${count}`;
  const nc = await connectNats({ servers: [server] }, 'throughput');
  const queue = await RolloutQueue.open(nc, fleet);
  const policy = { kind: 'model', url: model.url, name: 'double' };
  const about = { run: fleet, family: 'maze', split: 'train', attempt: 0, purpose: 'ppo', policy };
  // More than can be played: a turn takes at least the latency, an episode several turns.
  const jobs = Math.ceil(((count * sessions * (seconds + 120)) / latency) * 1_000);
  for (let seed = 0; seed < jobs; seed++) await queue.publish({ ...about, seed, sampleSeed: seed });
  const used = hosts.slice(0, count);
  for (const host of used) {
    const store = join(folder, fleet);
    mkdirSync(store, { recursive: true });
    const flags = ['--model', model.url, '--model-name', 'double', '--format', 'ui-tars-1.5', '--screenshots', '1'];
    const place = ['--store', store, '--directory', join(folder, `${host.name}-${fleet}`), '--worker-name', host.name];
    const size = ['--sessions', String(sessions), '--browsers', '1'];
    host.startGyre('worker', ['worker', '--join', server, '--fleet', fleet, ...flags, ...place, ...size]);
  }
  await until('every worker to play', () => used.every((host) => host.program('worker').text().includes(': playing')));
  await delay(2 * latency);
  const before = model.answers();
  await delay(seconds * 1_000);
  const turnsPerSecond = (model.answers() - before) / seconds;
  const [load] = loadavg();
  await Promise.all(used.map((host) => host.end('worker')));
  await nc.close();
  const bound = (count * sessions * 1_000) / latency;
  const row = {
    hosts: count,
    sessions: count * sessions,
    latency,
    turnsPerSecond,
    ofBound: turnsPerSecond / bound,
    load,
  };
  console.log(JSON.stringify(row));
  return row;
}
