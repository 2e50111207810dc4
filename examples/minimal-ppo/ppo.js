// The whole RL loop in one file: a policy plays real pages, is updated by PPO on its rewards, and is evaluated on
// held-out tasks. It starts from gyre's pixel policy, which needs no reader of the screen. `gyre train ppo` adds what this
// leaves out: a critic, groups, several families at once, imitation of successes between updates, a policy that reads, and a
// record of every update.
//
//   node examples/minimal-ppo/ppo.js --family vault --iterations 10 --episodes 64 --tests 200

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nativePolicy, runEpisodes } from '@gyre/agent';
import { EngineThread, Random, pixelPolicyName, loadPolicyCheckpoint, weightsFile } from '@gyre/engine';
import { Lake } from '@gyre/lake';
import { BrowserPool } from '@gyre/sandbox';
import { familyOf, openTask } from '@gyre/tasks';
import { Baseline, ScreenshotReader, decisions, klK3, mean, returns, slices, wilson } from '@gyre/training';

const { values: flags } = parseArgs({
  options: {
    family: { type: 'string', default: 'vault' },
    iterations: { type: 'string', default: '10' },
    episodes: { type: 'string', default: '64' }, // per iteration
    tests: { type: 'string', default: '200' }, // held-out tasks, before and after
    sessions: { type: 'string', default: '16' }, // parallel episodes
    seed: { type: 'string', default: '1' },
  },
});
const [iterations, episodes, tests, sessions, seed] = ['iterations', 'episodes', 'tests', 'sessions', 'seed'].map(
  (name) => {
    const value = Number(flags[name]);
    if (Number.isInteger(value) && value > 0) return value;
    console.error(`error: --${name} must be a whole number above 0, got "${flags[name]}"`);
    process.exit(2);
  },
);

const ppo = {
  learningRate: 2e-4, // higher rates destroy small policies
  epochs: 3,
  minibatch: 64, // about this many decisions
  gamma: 0.9, // rewards are dense
  clipLow: 0.2, // PPO, arXiv 1707.06347
  clipHigh: 0.28, // clip-higher, which lets unlikely actions become likely: DAPO, arXiv 2503.14476
};

const family = familyOf(flags.family);
const random = new Random(seed);
const baseline = new Baseline();
const folder = await mkdtemp(join(tmpdir(), 'gyre-minimal-'));
const lake = await Lake.open(join(folder, 'lake')); // stores every episode and its screenshots
const pool = await BrowserPool.launch({ browsers: 2, sessionsPerBrowser: Math.ceil(sessions / 2) });
const { architecture } = await loadPolicyCheckpoint(weightsFile(pixelPolicyName));
const engine = await EngineThread.start({ architecture, seed, threads: 2 });
try {
  await engine.load(weightsFile(pixelPolicyName), { optimiser: false });
  report('before', await evaluate());
  for (let iteration = 1; iteration <= iterations; iteration++) {
    // Every iteration plays new tasks. Episodes that the infrastructure ended are retried, and never trained on.
    const played = await play('train', iteration * episodes, episodes);
    const { kl, entropy } = await update(played);
    report(`iteration ${iteration}`, played, `entropy ${entropy.toFixed(3)}, KL ${kl.toFixed(4)}`);
  }
  report('after', await evaluate());
} finally {
  await Promise.allSettled([engine.close(), pool.close()]);
  await lake.close();
  await rm(folder, { recursive: true, force: true });
}

/** Plays the tasks `from` to `from + count` of a split, each once, sampling every action. */
async function play(split, from, count) {
  function* jobs() {
    for (let number = from; number < from + count; number++) {
      const instance = family.create(split, number);
      // Each job has its own seed, so the result does not depend on the session that plays it.
      yield {
        task: instance.task,
        open: (machines) => openTask(instance, machines),
        purpose: split === 'train' ? 'ppo' : 'eval',
        seed: seed * 1_000_003 + number,
      };
    }
  }
  const policy = nativePolicy({ name: 'nano', engine });
  const played = [];
  const run = runEpisodes({ pool, policy, lake, jobs: jobs(), concurrency: sessions, screenshots: 1 });
  for await (const episode of run) played.push(episode);
  return played;
}

function evaluate() {
  return play('test', 0, tests);
}

/** Runs one PPO update on complete episodes. */
async function update(played) {
  const reader = new ScreenshotReader(lake);
  const data = [];
  const estimates = [];
  for (const episode of played) {
    // The value of each decision: the discounted rewards from there on. There is no critic: docs/research/critics.md shows when one pays.
    const rewards = episode.turns.map(({ reward }) => reward);
    const worth = returns(rewards, ppo.gamma);
    // The context is rebuilt exactly as the policy saw it, with the tokens that it sampled and their log-probabilities.
    const turnData = await decisions(episode, 1, reader);
    const turns = turnData.map(({ turn }) => turn);
    data.push(...turnData.map(({ datum }) => datum));
    estimates.push({ ...episode.task, turns, estimates: turns.map((turn) => worth[turn]) });
  }

  // The baseline of a decision is the mean return of other episodes at the same turn, in this batch and in earlier ones.
  const advantages = baseline.advantages(estimates, 'turn').flatMap((all) => [...all]);
  const batch = data.map(({ screenshots, sequences: [sequence] }, i) => {
    // Each decision is one action: all of its tokens share an advantage.
    return { screenshots, sequences: [{ ...sequence, advantages: sequence.action.map(() => advantages[i]) }] };
  });

  const { entropies } = await engine.forward(batch);
  let kl = 0;
  for (let epoch = 0; epoch < ppo.epochs; epoch++) {
    const [then, now] = [[], []];
    for (const minibatch of slices(random.shuffle([...batch]), ppo.minibatch)) {
      // Token-mean clipped surrogate. The screenshot encoder is frozen: its outputs are cached, which makes this cheap.
      const { logprobs } = await engine.forwardBackward({
        data: minibatch,
        loss: { name: 'ppo', clipLow: ppo.clipLow, clipHigh: ppo.clipHigh },
        freezeEncoder: true,
      });
      await engine.optimStep({ learningRate: ppo.learningRate, part: 'decoder' });
      then.push(...minibatch.flatMap(({ sequences }) => sequences[0].logprobs));
      now.push(...logprobs.flat(2));
    }
    kl = klK3(now, then);
  }
  return { kl, entropy: mean(entropies.flat(2)) };
}

function report(name, played, more) {
  const solved = played.filter(({ verdict }) => verdict?.success).length;
  const { success, low, high } = wilson(solved, played.length);
  const percent = (share) => Math.round(100 * share);
  const line = `${name}: ${percent(success)} % (${percent(low)}–${percent(high)}) of ${played.length} ${family.name} tasks`;
  console.log(more === undefined ? line : `${line}, ${more}`);
}
