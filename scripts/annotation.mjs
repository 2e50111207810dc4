import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TaskSessions } from '../packages/agent/dist/index.js';
import { openPolicy } from '../packages/cli/dist/policies/policies.js';
import { Lake } from '../packages/lake/dist/index.js';
import {
  annotateByScript,
  annotatorBrowser,
  reviewByScript,
} from '../packages/studio/dist/annotation/double/scriptedAnnotator.js';
import { serveStudio } from '../packages/studio/dist/index.js';

/*
 * Closes the loop of annotation: a script annotates training tasks through the studio's page in Chromium, another accepts them, the SFT
 * pool is exported, `gyre train sft` learns from it, and held-out tasks are played before and after. docs/research/annotation.md has the
 * figures.
 */

const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: 'runs/annotation' },
    family: { type: 'string', default: 'search' },
    tasks: { type: 'string', default: '30' },
    episodes: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '5' },
    /** Skips the evaluation of base. */
    skipBefore: { type: 'boolean', default: false },
  },
});
const { directory, family, episodes } = values;
const tasks = Number(values.tasks);
const gyre = new URL('../packages/cli/bin/gyre.mjs', import.meta.url).pathname;

const run = (...args) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [gyre, ...args, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (part) => (text += part));
    child.once('close', (code) => {
      const last = text.trim().split('\n').at(-1);
      if (code === 0) resolve(JSON.parse(last));
      else reject(new Error(`gyre ${args.join(' ')} ended with ${code}: ${last}`));
    });
  });

const evaluate = (name, checkpoint) =>
  run(
    ...['eval', '--checkpoint', checkpoint, '--family', family, '--episodes', episodes, '--split', 'test'],
    ...['--sessions', '4', '--browsers', '1', '--directory', join(directory, name)],
  );

const policies = {
  names: () => Promise.resolve(['base']),
  open: () =>
    openPolicy({ policy: 'nano', checkpoint: 'base', quantise: 'none', thinking: 'efficient', greedy: false }),
};

async function annotate() {
  rmSync(directory, { recursive: true, force: true });
  const lake = await Lake.open(join(directory, 'lake'));
  await lake.close();
  const machines = new TaskSessions({ browsers: 1, sessionsPerBrowser: 1 });
  const browser = await annotatorBrowser();
  const server = await serveStudio({ runs: [directory], policies });
  const { hash } = new URL(server.link);
  const name = directory.split('/').at(-1);
  const pageOf = (path) => `${server.url}/runs/${name}/${path}`;
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(`${pageOf('annotate')}${hash}`);
    const began = performance.now();
    const annotated = await annotateByScript({
      ...{ page, machines, name: 'ann', policy: 'base', family, tasks, seed: 'experiment' },
      ...{ editShare: 0.2, mistakeShare: 0.15 },
      onTask: (done) => console.error(`${done} of ${tasks} tasks annotated`),
    });
    const minutes = (performance.now() - began) / 60_000;
    const reviewed = await reviewByScript(page, pageOf('review'), 'bob');
    return { ...annotated, minutes, reviewed };
  } finally {
    await browser.close();
    await server.close();
    await machines.close();
  }
}

const quantile = (numbers, q) => [...numbers].sort((a, b) => a - b)[Math.floor(q * (numbers.length - 1))];

const { turnMs, ...annotated } = await annotate();
const lake = await Lake.open(join(directory, 'lake'));
const pooled = await lake.pool('sft').samples();
await lake.close();
const exported = await run(
  ...[
    'lake',
    'export',
    '--directory',
    directory,
    '--format',
    'sft',
    '--pool',
    'sft',
    '--output',
    join(directory, 'exported'),
  ],
);
const learnt = await run(
  ...['train', 'sft', '--family', family, '--minutes', values.minutes, '--directory', directory],
);
const before = values.skipBefore ? undefined : await evaluate('before', 'base');
const after = await evaluate('after', join(directory, 'sft.safetensors'));
const result = {
  ...{ family, tasks, annotated, pooled: pooled.length },
  pooledTurns: pooled.reduce((sum, { turns }) => sum + turns.length, 0),
  turnMs: { median: quantile(turnMs, 0.5), p95: quantile(turnMs, 0.95), turns: turnMs.length },
  ...{ exported, learnt, before, after },
};
writeFileSync(join(directory, 'result.json'), `${JSON.stringify(result, undefined, 2)}\n`);
console.log(JSON.stringify(result, undefined, 2));
