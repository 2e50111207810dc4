import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { install, workFolder } from './install.mjs';
import { makeModel } from './models.mjs';
import { startRig } from './rig.mjs';

/**
 * Plants one trap after another in SkyRL and vLLM, and expects `gyre doctor` to name its cure:
 *
 *     node scripts/remote/traps.mjs [--only WORDS]
 */
const { values } = parseArgs({ options: { only: { type: 'string' } } });
const gyre = fileURLToPath(new URL('../../packages/cli/bin/gyre.mjs', import.meta.url));
const work = workFolder();
await install(work);
const model = makeModel(work, 'qwen2.5');

/** Adapters that the proxy loses: none, all, or all after the first. */
const proxy = { loses: 'none', loaded: 0, knowsRoute: true };
const updates = () => proxy.loses === 'none' || (proxy.loses === 'later' && proxy.loaded++ === 0);

/** `vllm` and `skyrl` restart a server; `alone` leaves SkyRL out, which such a vLLM could not serve. */
const traps = [
  { name: 'nothing', cures: {} },
  { name: 'another base model is named', flags: ['--model', 'other'], cures: { 'base model': 'with --model' } },
  {
    name: 'the sampler loses adapters after the first',
    proxy: { loses: 'later' },
    cures: { 'weight sync': 'Point the trainer at the vLLM of --sampler' },
  },
  {
    name: 'adapters go to another sampler',
    proxy: { loses: 'all' },
    cures: { sampling: 'Point the trainer at the vLLM of --sampler' },
  },
  {
    name: "SkyRL's route for adapters is absent",
    proxy: { knowsRoute: false },
    cures: { publication: '/skyrl/v1/load_lora_adapter' },
  },
  { name: 'pixels are raw', vllm: { normalises: true }, cures: { pixels: '--no-mm-device-do-normalize' } },
  {
    name: 'the sampler serves other weights',
    vllm: { weights: makeModel(work, 'qwen2.5', { seed: 1 }) },
    cures: { gap: 'Serve the base model and revision that are trained' },
  },
  {
    name: 'log-probabilities are logits',
    vllm: { logprobs: 'raw_logits' },
    cures: { gap: 'start vLLM without --logprobs-mode' },
  },
  { name: 'the adapter is too large', vllm: { rank: 1 }, cures: { publication: '--max-lora-rank' } },
  {
    name: 'no token endpoints',
    alone: true,
    vllm: { scalesOut: false },
    cures: { 'token endpoints': '--enable-scale-out' },
  },
  { name: 'no adapters', alone: true, vllm: { adapters: false }, cures: { 'LoRA loading': '--enable-lora' } },
  {
    name: 'one picture a prompt',
    alone: true,
    vllm: { pictures: 1 },
    cures: { 'pictures per prompt': '--limit-mm-per-prompt' },
  },
  { name: 'a short context', alone: true, vllm: { length: 1024 }, cures: { 'context length': '--max-model-len' } },
  {
    name: 'the adapter has vision modules',
    skyrl: { trainsVision: true },
    cures: { 'weight sync': 'exclude_modules=".*visual.*"' },
  },
];

const rig = await startRig({ work, model, length: 3072, updates, knowsRoute: () => proxy.knowsRoute });
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(name, () => void rig.close().finally(() => process.exit(130)));
const tally = { passed: 0, failed: 0 };
let planted = {};
try {
  for (const trap of traps.filter(({ name }) => name.includes(values.only ?? ''))) {
    const start = performance.now();
    await plant(trap);
    const checks = await doctor(trap);
    const fault = faultOf(checks, trap);
    tally[fault === undefined ? 'passed' : 'failed']++;
    const seconds = Math.round((performance.now() - start) / 1000);
    console.log(`${fault === undefined ? 'ok  ' : 'FAIL'} ${trap.name} (${seconds} s) ${fault ?? ''}`);
    for (const { name, found, fix } of checks.filter(isMissing)) console.log(`     ${name}: ${found}\n       ${fix}`);
  }
} finally {
  await rig.close();
}
console.log(`${tally.passed} passed, ${tally.failed} failed`);
process.exit(tally.failed > 0 || tally.passed === 0 ? 1 : 0);

/** Restarts the servers that differ from those of the trap before. */
async function plant({ vllm, skyrl, proxy: change }) {
  Object.assign(proxy, { loses: 'none', loaded: 0, knowsRoute: true, ...change });
  if (planted.vllm || vllm) await rig.restart('vLLM', vllm);
  if (planted.skyrl || skyrl) await rig.restart('Ray', skyrl);
  planted = { vllm, skyrl };
}

async function doctor({ alone = false, flags = ['--model', model] }) {
  const engine = alone ? [] : ['--engine', rig.tinkerUrl];
  const args = ['doctor', '--json', ...engine, '--sampler', `${rig.vllmUrl}/v1`, ...flags];
  const child = spawn(process.execPath, [gyre, ...args], { stdio: ['ignore', 'pipe', 2] });
  let text = '';
  child.stdout.on('data', (data) => (text += data));
  await once(child, 'close');
  return JSON.parse(text.trim().split('\n').at(-1)).checks;
}

function isMissing({ ok }) {
  return !ok;
}

/** Says what is wrong with the doctor's findings; undefined if they name the trap. */
function faultOf(checks, { cures }) {
  const expected = Object.entries(cures);
  const unnamed = expected.filter(
    ([name, words]) => !checks.some((check) => isMissing(check) && check.name === name && check.fix.includes(words)),
  );
  if (unnamed.length > 0) return `expected ${unnamed.map(([name, words]) => `${name}: ${words}`).join(', ')}`;
  return expected.length === 0 && checks.some(isMissing) ? 'expected nothing to be missing' : undefined;
}
