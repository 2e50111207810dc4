import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Lake } from '../../packages/lake/dist/index.js';
import { install, workFolder } from './install.mjs';
import { makeModel } from './models.mjs';
import { commandOf, descendants } from './processes.mjs';
import { startRig } from './rig.mjs';

/**
 * Ends a program of a run by SIGKILL, in turn gyre, the sampler, the engine and its trainer, starts it again, resumes the run, and
 * checks that no episode was lost or trained on twice:
 *
 *     node scripts/remote/faults.mjs [--model FOLDER] [--only NAME]
 */
const { values } = parseArgs({ options: { model: { type: 'string' }, only: { type: 'string' } } });
const gyre = fileURLToPath(new URL('../../packages/cli/bin/gyre.mjs', import.meta.url));
const iterations = 4;
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => stopping.abort());

/** A trainer that Ray started for SkyRL. */
const trainer = (pids) =>
  [...descendants(pids.Ray), ...descendants(pids.SkyRL)].find((pid) => commandOf(pid).includes('PolicyWorker'));

const faults = [
  { name: 'gyre, at play', victim: (_, run) => run.pid, part: 'rollout' },
  { name: 'gyre, at an update', victim: (_, run) => run.pid, part: 'update' },
  { name: 'sampler (vLLM), at play', victim: ({ vLLM }) => vLLM, part: 'rollout', restart: 'vLLM' },
  { name: 'engine (SkyRL), at an update', victim: ({ SkyRL }) => SkyRL, part: 'update', restart: 'SkyRL' },
  { name: 'trainer (Ray worker), at an update', victim: trainer, part: 'update', restart: 'Ray' },
];

const work = workFolder();
await install(work);
const rig = await startRig({ work, model: values.model ?? makeModel(work, 'qwen2.5') });
const rows = [];
try {
  for (const fault of faults) {
    if (stopping.signal.aborted) break;
    if (values.only !== undefined && !fault.name.startsWith(values.only)) continue;
    const row = await survive(fault, join(work, 'faults', fault.name.replace(/\W+/g, '-')));
    rows.push(row);
    console.log(JSON.stringify(row));
  }
} finally {
  await rig.close();
}
const failed = rows.filter(({ problems }) => problems.length > 0);
console.log(`${rows.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length > 0 || rows.length === 0 ? 1 : 0);

async function survive({ name, victim, part, restart }, directory) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const first = train(directory, []);
  const [, last] = await first.until(() => updatesOf(directory).length >= 2 && updatesOf(directory));
  const seconds = part === 'rollout' ? last.rolloutSeconds / 2 : last.rolloutSeconds + last.updateSeconds / 2;
  await delay(seconds * 1000);
  const pid = victim(rig.pids(), first);
  if (pid === undefined) throw new Error(`${name}: there is no such process`);
  const known = updatesOf(directory).length;
  // A server of several processes ends as a whole, as it would with its machine.
  for (const each of restart === undefined || restart === 'Ray' ? [pid] : [pid, ...descendants(pid)]) {
    process.kill(each, 'SIGKILL');
  }
  const killedAt = performance.now();
  const { status, message } = await first.ended();
  const noticedAfter = (performance.now() - killedAt) / 1000;
  if (restart !== undefined) await rig.restart(restart);
  const second = train(directory, ['--resume']);
  const { status: resumedStatus, message: resumedMessage } = await second.ended();
  const { problems, ...counts } = await audit(directory);
  if (resumedStatus !== 0) problems.push(`the resumed run ended with ${resumedStatus}: ${resumedMessage}`);
  return { name, inIteration: known + 1, status, message, noticedAfter: Math.round(noticedAfter), ...counts, problems };
}

function train(directory, more) {
  const settings = join(directory, 'settings.json');
  const { tinkerUrl: engine, vllmUrl, model } = rig;
  const served = { engine, sampler: `${vllmUrl}/v1`, model, rank: 8, maxTokens: 24, thinking: 'none', screenshots: 1 };
  const ppo = { decisions: 24, group: { size: 4, filter: false } };
  const run = { families: ['click'], browsers: 1, sessions: 4, served: { ...served, system: 'Act.' }, ppo };
  writeFileSync(settings, JSON.stringify(run));
  const flags = ['--settings', settings, '--directory', join(directory, 'run'), '--iterations', String(iterations)];
  const child = spawn(process.execPath, [gyre, 'train', 'grpo', ...flags, ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data));
  let status;
  const exit = new Promise((resolve) => child.on('close', (code, signal) => resolve((status = code ?? signal))));
  return {
    pid: child.pid,
    async until(condition) {
      for (;;) {
        const value = condition();
        if (value) return value;
        if (status !== undefined) throw new Error(`gyre ended early with ${status}: ${text.slice(-500)}`);
        stopping.signal.throwIfAborted();
        await delay(200);
      }
    },
    async ended() {
      await exit;
      const message = text.split('\n').findLast((line) => line.startsWith('error'));
      return { status, message: message ?? '' };
    },
  };
}

/** Returns the records of finished iterations. */
function updatesOf(directory) {
  return stagesOf(directory).flatMap(({ stage, outcome }) =>
    stage.startsWith('iteration ') ? [{ ...outcome.iteration, trained: outcome.trained }] : [],
  );
}

function stagesOf(directory) {
  const file = join(directory, 'run', 'practice', 'state.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).stages : [];
}

/** Compares the episodes that updates learnt from with those in the lake. */
async function audit(directory) {
  const updates = updatesOf(directory);
  const trained = updates.flatMap((update) => update.trained);
  const lake = await Lake.open(join(directory, 'run', 'lake'));
  const stored = new Set();
  try {
    for await (const { id } of lake.episodes({ split: 'train' })) stored.add(id);
  } finally {
    await lake.close();
  }
  const problems = [];
  if (updates.length !== iterations) problems.push(`${updates.length} iterations instead of ${iterations}`);
  const twice = trained.length - new Set(trained).size;
  if (twice > 0) problems.push(`${twice} episodes were trained on twice`);
  const lost = trained.filter((id) => !stored.has(id)).length;
  if (lost > 0) problems.push(`${lost} episodes are not in the lake`);
  const gaps = updates.map(({ gap }) => Number(gap.mean.toFixed(4)));
  return { gaps, trained: trained.length, untrained: stored.size - new Set(trained).size, problems };
}
