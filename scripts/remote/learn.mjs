import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeBase } from './base.mjs';
import { install, workFolder } from './install.mjs';
import { startRig } from './rig.mjs';

/**
 * Measures what RL on SkyRL and vLLM adds to SFT: demonstrations, SFT of all weights by transformers, then a run of `gyre train`
 * for each seed. Started again, it resumes:
 *
 *     node scripts/remote/learn.mjs [--families maze] [--algorithm ppo] [--steps 250] [--seeds 1,2] [--iterations 12] [--evaluate 150]
 */
const { values } = parseArgs({
  options: {
    families: { type: 'string', default: 'maze' },
    algorithm: { type: 'string', default: 'ppo' },
    steps: { type: 'string', default: '250' },
    seeds: { type: 'string', default: '1,2' },
    iterations: { type: 'string', default: '12' },
    evaluate: { type: 'string', default: '150' },
    rate: { type: 'string', default: '1e-3' },
  },
});
const gyre = fileURLToPath(new URL('../../packages/cli/bin/gyre.mjs', import.meta.url));
const families = values.families.split(',');
const system = 'Act.';
const work = workFolder();
const folder = join(work, 'learn', families.join('-'));
let running;
let rig;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(name, () => {
    running?.kill();
    void Promise.resolve(rig?.close()).finally(() => process.exit(130));
  });

await install(work);
const base = await makeBase({ work, folder, families, system, steps: values.steps, run });
rig = await startRig({ work, model: base, name: 'learn', length: 1024 });
try {
  for (const seed of values.seeds.split(',')) await train(seed);
} finally {
  await rig.close();
}

async function train(seed) {
  const directory = join(folder, `${values.algorithm}-${seed}`);
  mkdirSync(directory, { recursive: true });
  const settings = join(directory, 'given.json');
  const { tinkerUrl: engine, vllmUrl, model } = rig;
  const served = { engine, sampler: `${vllmUrl}/v1`, model, system, thinking: 'none', screenshots: 1, maxTokens: 12 };
  const ppo = { decisions: 256, minibatch: 64, epochs: 2, learningRate: Number(values.rate) };
  writeFileSync(settings, JSON.stringify({ families, browsers: 1, sessions: 16, served, ppo }));
  const resume = existsSync(join(directory, 'practice')) ? ['--resume'] : [];
  const counts = ['--iterations', values.iterations, '--evaluate', values.evaluate, '--seed', seed];
  const flags = ['--settings', settings, '--directory', directory, ...counts, ...resume];
  await run(process.execPath, [gyre, 'train', values.algorithm, ...flags]);
  const updates = readFileSync(join(directory, 'updates.jsonl'), 'utf8').trim().split('\n');
  for (const { iteration, success, gap, rolloutSeconds, updateSeconds } of updates.map((line) => JSON.parse(line)))
    console.log(JSON.stringify({ seed, iteration, success, gap, rolloutSeconds, updateSeconds }));
}

async function run(program, args) {
  running = spawn(program, args, { stdio: 'inherit' });
  const [status] = await once(running, 'exit');
  if (status !== 0) throw new Error(`${args[0]} ended with ${status}`);
}
