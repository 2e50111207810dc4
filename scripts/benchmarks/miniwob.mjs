// Plays pages of MiniWoB++ with equal seeds and inputs in gyre's adapter and in BrowserGym, and compares goals, ends and raw rewards.
// PAGES=all compares all 125, which takes hours.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { browserGymBridge, browserGymCode } from '../../packages/benchmarks/dist/browsergym/benchmark.js';
import { BrowserPool } from '../../packages/sandbox/dist/index.js';
import { miniwobSuite, Random, startTask } from '../../packages/tasks/dist/index.js';

/** Their episodes often end under random clicks. */
const pages = [
  ...['click-test', 'click-test-2', 'click-button', 'click-dialog-2', 'click-menu-2', 'count-shape'],
  ...['find-greatest', 'focus-text-2', 'grid-coordinate', 'identify-shape', 'use-colorwheel-2', 'click-color'],
];
/** The bridge's results are compared as they are. */
const anything = { safeParse: (data) => ({ success: true, data }) };

const seeds = [3, 71];
const inputs = 8;

/** BrowserGym's page is 332 x 214 px, and its points are 1.5 times as large. */
const scale = 1.5;
const size = { width: 336, height: 224 };

/** Draws inputs in px of the page. */
function drawInputs(page, seed) {
  const random = new Random(`${page} ${seed}`);
  return Array.from({ length: inputs }, () => {
    const kind = random.between(0, 9);
    if (kind === 0) return { type: 'type', text: 'ab' };
    if (kind === 1) return { type: 'hotkey', keys: 'tab' };
    return { type: 'click', x: random.between(2, 157), y: random.between(50, 207) };
  });
}

async function playOfficial(bridge, page, pageSeed) {
  const call = (op, terms) => bridge.call(op, terms, anything, { timeoutMs: 180_000 });
  const { goal } = await call('start', { task: `miniwob.${page}`, seed: 1, pageSeed, budget: 2 * inputs });
  let done = false;
  for (const input of drawInputs(page, pageSeed)) {
    const action =
      input.type === 'click'
        ? `mouse_click(${input.x * scale}, ${input.y * scale})`
        : input.type === 'type'
          ? `keyboard_type("${input.text}")`
          : 'keyboard_press("Tab")';
    done = (await call('step', { action })).terminated;
    if (done) break;
  }
  const { raw, reward } = await call('finish', {});
  return { goal, done, raw: done ? raw : 0, reward };
}

async function playHere(pool, suite, page, pageSeed) {
  const session = await pool.lease({ size });
  try {
    const instance = suite[`miniwob.${page}`].create('train', 0, size);
    // The seed of the page is gyre's own.
    const html = instance.page.html.replace(/"seed":\d+,"mode":"\w+"/, `"seed":${pageSeed},"mode":"train"`);
    const run = await startTask(session, { ...instance, page: { ...instance.page, html, seed: pageSeed } });
    let done = false;
    for (const input of drawInputs(page, pageSeed)) {
      const point = { x: (input.x + 0.01) / size.width, y: (input.y + 0.01) / size.height };
      await session.screen.act(input.type === 'click' ? { type: 'click', point } : input);
      ({ done } = await run.step());
      if (done) break;
    }
    const { evidence } = await run.verdict();
    const raw = done ? evidence.rawReward : 0;
    return { goal: run.task.instruction, done, raw, reward: Number(raw > 0) };
  } finally {
    await session.release();
  }
}

export async function miniwob(expectEqual) {
  const { python } = browserGymCode();
  const where = 'import miniwob, pathlib; print(pathlib.Path(miniwob.__file__).parent / "html")';
  const suite = miniwobSuite((await promisify(execFile)(python, ['-c', where])).stdout.trim());
  const names = process.env.PAGES === 'all' ? Object.keys(suite).map((name) => name.slice('miniwob.'.length)) : pages;
  const bridge = browserGymBridge();
  const pool = await BrowserPool.launch();
  try {
    for (const page of names) {
      for (const seed of seeds) {
        const official = await playOfficial(bridge, page, seed);
        const here = await playHere(pool, suite, page, seed);
        const { goal, ...end } = here;
        expectEqual(`${page} ${seed}: goal`, goal, official.goal);
        expectEqual(`${page} ${seed}: ${JSON.stringify(end)}`, end, {
          ...{ done: official.done, raw: official.raw, reward: official.reward },
        });
      }
    }
  } finally {
    await Promise.allSettled([bridge.close(), pool.close()]);
  }
}
