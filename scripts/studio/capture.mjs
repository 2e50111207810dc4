import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { findBrowser } from '../../packages/sandbox/dist/index.js';

/*
 * Makes docs/pictures/studio.webp: about 20 s of the studio over a real run.
 *
 *   node scripts/studio/capture.mjs [--runs DIR] [--output FILE]
 *
 * DIR has a finished flywheel; without it, one of --minutes is trained first. Episodes are played beside it, so that the wall has
 * something to show. Chromium visits live wall, cockpit, curves, an episode that is verified, and the palette; sharp writes the frames
 * as one animated WebP.
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    minutes: { type: 'string', default: '13.5' },
    output: { type: 'string', default: 'docs/pictures/studio.webp' },
    /** Episodes that are played meanwhile. */
    sessions: { type: 'string', default: '6' },
  },
});
const gyre = fileURLToPath(new URL('../../packages/cli/bin/gyre.mjs', import.meta.url));
const size = { width: 1200, height: 760 };
const shownWidth = 760;
const framesPerSecond = 4;
const runs = resolve(values.runs ?? (await mkdtemp(join(tmpdir(), 'gyre-capture-'))));

const start = (...words) => spawn(process.execPath, [gyre, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });

if (values.runs === undefined) {
  const training = start('flywheel', '--minutes', values.minutes, '--directory', join(runs, 'flywheel'));
  training.stdout.resume();
  const [code] = await once(training, 'exit');
  if (code !== 0) throw new Error(`gyre flywheel ended with ${code}`);
}
const playing = start(
  ...['rollout', '--policy', 'oracle', '--family', '2048,tilesMaster,maze,form,tabs', '--episodes', '400'],
  ...['--sessions', values.sessions, '--directory', join(runs, 'rollout')],
);
playing.stdout.resume();
const studio = start('studio', runs);
try {
  const [printed] = await once(studio.stdout, 'data');
  const frames = await film(String(printed).trim());
  await write(frames);
} finally {
  playing.kill('SIGINT');
  studio.kill('SIGINT');
}

/** Drives the page and takes pictures of it. */
async function film(link) {
  const browser = await chromium.launch({ executablePath: findBrowser().path, args: ['--no-sandbox'] });
  const page = await (await browser.newContext({ viewport: size })).newPage();
  const frames = [];
  const hold = async (seconds) => {
    for (let i = 0; i < seconds * framesPerSecond; i++) {
      const began = performance.now();
      const png = await page.screenshot();
      // Frames that are the same are one that is shown longer.
      if (frames.at(-1)?.png.equals(png)) frames.at(-1).ms += 1_000 / framesPerSecond;
      else frames.push({ png, ms: 1_000 / framesPerSecond });
      await pause(Math.max(0, 1_000 / framesPerSecond - (performance.now() - began)));
    }
  };
  const { origin } = new URL(link);
  try {
    await page.goto(link);
    // The page of runs shows where they are on this machine.
    await page.locator('.cards article').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.locator('.live-card img').first().waitFor({ timeout: 120_000 });
    await hold(4);
    await page.locator('.live-card').first().click();
    await page.locator('.stage img').first().waitFor();
    await hold(3);
    await page.goto(`${origin}/runs/flywheel`);
    await page.locator('.plot canvas').first().waitFor();
    await page.locator('#curves').scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 260);
    await hold(3);
    await page.keyboard.press('Control+k');
    await page.locator('.palette-text').pressSequentially('maze', { delay: 120 });
    await page.getByRole('option', { name: 'maze: episodes in flywheel' }).waitFor();
    await hold(2);
    await page.keyboard.press('Enter');
    await page.getByRole('row').nth(3).waitFor();
    await hold(1.5);
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.locator('.stage img').first().waitFor();
    await hold(0.75);
    for (let turn = 0; turn < 4; turn++) {
      await page.keyboard.press('ArrowRight');
      await hold(0.5);
    }
    await page.keyboard.press('v');
    await page
      .getByText(/screens are identical|differ/)
      .first()
      .waitFor({ timeout: 60_000 });
    await hold(2.5);
    return frames;
  } finally {
    await browser.close();
  }
}

async function write(frames) {
  const pictures = await Promise.all(
    frames.map(({ png }) => sharp(png).resize({ width: shownWidth }).png().toBuffer()),
  );
  const bytes = await sharp(pictures, { join: { animated: true } })
    .webp({ quality: 58, effort: 4, loop: 0, delay: frames.map(({ ms }) => ms), mixed: true })
    .toBuffer();
  await writeFile(values.output, bytes);
  const seconds = frames.reduce((sum, { ms }) => sum + ms, 0) / 1_000;
  console.log(`${values.output}: ${frames.length} frames, ${seconds} s, ${Math.round(bytes.length / 1024)} kB`);
}
