import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

import { findBrowser } from '../../packages/sandbox/dist/index.js';

/*
 * Measures the studio's budgets; docs/how-to/studio.md and studio-live.md have the figures.
 *
 *   paint     first paint, table, search and scrolling over a lake of a million turns (--turns, --lake DIR keeps it)
 *   viewers   CPU time per turn of a rollout with 32 sessions, with 20 viewers in the studio and without
 *   control   CPU time per turn of a rollout with and without the socket by which people control it
 *
 * The last two alternate both ways in one process and print the mean of the paired differences with its 95 % interval
 * (Student's t): CPU time of the rollout's process, without its browsers.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    turns: { type: 'string', default: '1000000' },
    lake: { type: 'string' },
    pairs: { type: 'string', default: '10' },
    episodes: { type: 'string', default: '96' },
    sessions: { type: 'string', default: '32' },
    viewers: { type: 'string', default: '20' },
  },
});
async function temporary(use) {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-studio-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function paint() {
  const measure = async (root) => {
    const studio = await started('studioProgram.mjs', [root]);
    const browser = await chromium.launch({ executablePath: findBrowser().path, args: ['--no-sandbox'] });
    try {
      const visits = [];
      for (let visit = 0; visit < 3; visit++) visits.push(await visited(browser, studio.ready));
      return { turns: Number(values.turns), visits };
    } finally {
      await browser.close();
      await studio.stop();
    }
  };
  if (values.lake !== undefined) return measure(values.lake);
  return temporary(async (root) => {
    const { writeLake } = await import('../../perf/dist/lake/lake.js');
    const { signal } = new AbortController();
    const onProgress = () => undefined;
    await writeLake(join(root, 'million', 'lake'), { turns: Number(values.turns), signal, onProgress });
    return measure(root);
  });
}

/** Opens runs and episodes in a new context, searches, and scrolls. Times in ms. */
async function visited(browser, { link, url }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  const bytes = { script: 0 };
  page.on('response', async (response) => {
    if (response.url().includes('/assets/')) bytes.script += (await response.body().catch(() => '')).length;
  });
  const since = () => page.evaluate('performance.now()');
  const firstPaint = () =>
    page.evaluate('performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null');
  await page.goto(link);
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  const runs = { paint: await firstPaint() };
  await page.locator('.cards article').first().waitFor();
  runs.cards = await since();
  const [name] = await page.locator('.cards h2').allTextContents();
  await page.goto(`${url}/runs/${name}/episodes`);
  await page.getByRole('row').nth(5).waitFor({ timeout: 120_000 });
  const episodes = { paint: await firstPaint(), rows: await since() };
  await page.locator('.filters small').first().waitFor({ timeout: 120_000 });
  episodes.filters = await since();
  const scrolling = await page.evaluate(scroll);
  await page.keyboard.press('/');
  const before = await since();
  await page.keyboard.type('999');
  await page.keyboard.press('Enter');
  await page.getByText(/\d match$/).waitFor({ timeout: 120_000 });
  const search = (await since()) - before;
  const begin = performance.now();
  await page.keyboard.press('Control+k');
  await page.locator('.palette-text').fill('9999');
  await page.getByRole('option').first().waitFor({ timeout: 120_000 });
  const palette = performance.now() - begin;
  await context.close();
  return { runs, episodes, scrolling, search, palette, bytes: bytes.script };
}

/** Scrolls the table by frames; run in the page. */
const scroll = `(async () => {
  const body = document.querySelector('.table .body');
  const gaps = [];
  let last = performance.now();
  for (let frame = 0; frame < 120; frame++) {
    body.scrollTop += 180;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    gaps.push(now - last);
    last = now;
  }
  gaps.sort((a, b) => a - b);
  return { frames: gaps.length, median: gaps[60], p95: gaps[114], rows: document.querySelectorAll('.table .body .row').length };
})()`;

function viewers() {
  return temporary(async (root) => {
    const rollout = await started('rolloutProgram.mjs', [join(root, 'run'), values.sessions]);
    const studio = await started('studioProgram.mjs', [root]);
    try {
      return await paired(rollout, async (isWith) => {
        if (!isWith) return () => undefined;
        const crowd = await started('viewersProgram.mjs', [studio.ready.url, studio.ready.token, values.viewers]);
        return () => crowd.stop();
      });
    } finally {
      await studio.stop();
      await rollout.stop();
    }
  });
}

function control() {
  return temporary(async (root) => {
    const rollout = await started('rolloutProgram.mjs', [join(root, 'run'), values.sessions]);
    try {
      return await paired(rollout, () => () => undefined, true);
    } finally {
      await rollout.stop();
    }
  });
}

/** Plays rounds with and without, in alternating order, after one of each that does not count. */
async function paired(rollout, prepare, isControl = false) {
  const differences = [];
  const cost = { with: [], without: [] };
  for (let pair = -1; pair < Number(values.pairs); pair++) {
    const measured = {};
    for (const isWith of pair % 2 === 0 ? [true, false] : [false, true]) {
      const end = await prepare(isWith);
      const round = { episodes: Number(values.episodes), seed: 1, controls: !isControl || isWith };
      const { turns, cpuMs, wallMs } = await rollout.ask(round);
      await end();
      measured[isWith ? 'with' : 'without'] = cpuMs / turns;
      console.error(
        `${isWith ? 'with' : 'without'}: ${(cpuMs / turns).toFixed(3)} ms a turn, ${turns} turns in ${Math.round(wallMs)} ms`,
      );
    }
    if (pair < 0) continue;
    cost.with.push(measured.with);
    cost.without.push(measured.without);
    differences.push((100 * (measured.with - measured.without)) / measured.without);
  }
  return {
    pairs: differences.length,
    cpuMsPerTurn: { with: mean(cost.with), without: mean(cost.without) },
    differencePercent: interval(differences),
  };
}

const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** Two-sided 95 % quantiles of Student's t by degrees of freedom. */
const student = [NaN, 12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13];

function interval(numbers) {
  const middle = mean(numbers);
  const variance = numbers.reduce((sum, each) => sum + (each - middle) ** 2, 0) / (numbers.length - 1);
  const reach = (student[numbers.length - 1] ?? 2) * Math.sqrt(variance / numbers.length);
  return { mean: middle, low: middle - reach, high: middle + reach };
}

/** Starts a program beside this one; its first message says that it is ready. */
async function started(program, words) {
  const child = fork(new URL(program, import.meta.url), words);
  const next = () =>
    new Promise((resolve, reject) => {
      const fail = (code) => reject(new Error(`${program} ended with ${code}`));
      child.once('exit', fail);
      child.once('message', (message) => {
        child.removeListener('exit', fail);
        resolve(message);
      });
    });
  const ready = await next();
  return {
    ready,
    ask(message) {
      const answer = next();
      child.send(message);
      return answer;
    },
    async stop() {
      const over = new Promise((resolve) => child.once('exit', resolve));
      child.removeAllListeners('exit');
      child.once('exit', () => undefined);
      child.kill();
      await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 5_000))]);
    },
  };
}

const measurements = { paint, viewers, control };
const chosen = positionals.length > 0 ? positionals : Object.keys(measurements);
for (const name of chosen) {
  if (!measurements[name]) throw new Error(`${name} is none of ${Object.keys(measurements).join(', ')}`);
  console.log(JSON.stringify({ measurement: name, ...(await measurements[name]()) }));
}
