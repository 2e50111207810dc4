import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeBase } from './base.mjs';
import { install, workFolder } from './install.mjs';
import { startRig } from './rig.mjs';

/**
 * Runs each command of the recipe once, briefly, on SkyRL and vLLM: SFT, RFT, GRPO, PPO with a critic on a second SkyRL, a flywheel of one
 * cycle, and the merging of two adapters:
 *
 *     node scripts/remote/recipe.mjs [--only ppo,flywheel,merge]
 */
const { values } = parseArgs({ options: { only: { type: 'string' } } });
const gyre = fileURLToPath(new URL('../../packages/cli/bin/gyre.mjs', import.meta.url));
const families = ['maze'];
const system = 'Act.';
const work = workFolder();
const folder = join(work, 'recipe');
let rig;
let running;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(name, () => {
    running?.kill();
    void Promise.resolve(rig?.close()).finally(() => process.exit(130));
  });

await install(work);
const chosen = values.only?.split(',');
if (!chosen) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const base = await makeBase({
  ...{ work, folder: join(work, 'learn', families.join('-')), families, system, steps: 250 },
  async run(program, args) {
    const [status] = await once(spawn(program, args, { stdio: ['ignore', 2, 2] }), 'exit');
    if (status !== 0) throw new Error(`${args[0]} ended with ${status}`);
  },
});
rig = await startRig({ work, model: base, name: 'recipe', length: 1024, critic: true });

const { tinkerUrl: engine, criticUrl, vllmUrl } = rig;
const served = {
  engine,
  sampler: `${vllmUrl}/v1`,
  model: base,
  system,
  thinking: 'none',
  screenshots: 1,
  maxTokens: 12,
};
const ppo = { decisions: 64, minibatch: 32, epochs: 1, learningRate: 1e-3, criticEpisodes: 48, group: { size: 4 } };
const cycle = { evaluate: 8, sft: { steps: 4 }, rl: { iterations: 1 }, generate: { tasks: 8, attempts: 2 } };
const settings = (name, more) => {
  const file = join(folder, `${name}.json`);
  const run = { families, browsers: 1, sessions: 8, served, ppo, cycle, ...more };
  writeFileSync(file, JSON.stringify(run));
  return ['--settings', file];
};
const directory = (name) => ['--directory', join(folder, name)];
const train = (name, ...flags) => ['train', name, ...settings(name), ...directory(name), ...flags];
// The maze rewards the way to the goal, and the way back with less than 0.
const critic = { engine: criticUrl, low: -1, high: 1.5 };
const commands = [
  ['sft', train('sft', '--demonstrations', '16', '--minutes', '1')],
  ['rft', train('rft', '--rounds', '1', '--attempts', '3')],
  ['grpo', train('grpo', '--iterations', '1')],
  [
    'ppo with a critic',
    ['train', 'ppo', ...settings('ppo', { served: { ...served, critic } }), ...directory('ppo'), '--iterations', '1'],
  ],
  [
    'flywheel',
    [
      'flywheel',
      ...settings('flywheel', { cycles: 1, baselines: 8 }),
      ...directory('flywheel'),
      '--evaluate',
      '8',
      '--minutes',
      '8',
    ],
  ],
  [
    'merge',
    [
      'merge',
      join(folder, 'sft', 'sft.json'),
      join(folder, 'grpo', 'trained.json'),
      '--weights',
      '0.5,0.5',
      '--output',
      join(folder, 'merged'),
    ],
  ],
];
const tally = { passed: 0, failed: 0 };
try {
  for (const [name, args] of commands) {
    if (chosen && !chosen.some((prefix) => name.startsWith(prefix))) continue;
    const started = performance.now();
    const child = spawn(process.execPath, [gyre, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    running = child;
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data));
    const [status] = await once(child, 'close');
    tally[status === 0 ? 'passed' : 'failed']++;
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(
      `${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s): ${text.trim().split('\n').slice(-3).join(' | ')}`,
    );
    if (status !== 0) writeFileSync(join(folder, `${name}.log`), text);
  }
} finally {
  await rig.close();
}
console.log(`${tally.passed} passed, ${tally.failed} failed`);
process.exit(tally.failed > 0 || tally.passed === 0 ? 1 : 0);
