import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Lake } from '@gyre/lake';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { theRecordedRun } from '../recordedRun/recordedRun.test.fixture.js';
import { aBrowser, expectAccessible, expectNoSidewaysScroll, openPage } from './chromium.test.fixture.js';
import { aStudio } from './studio.test.fixture.js';

type Line = Record<'episodes', number> & Record<'at', string>;
const timeOf = (line: string): string => (JSON.parse(line) as Line).at;

const browser = aBrowser();

test('a run is read: its curves grow with it, and lead to the episodes of an update', { timeout: 60_000 }, async () => {
  const { root, directory, episodes } = await theRecordedRun();
  const studio = await aStudio(root);
  const page = await openPage(browser.get(), studio.link);
  await page.getByText('75 → 69 %').waitFor();
  await page.getByRole('img', { name: /^Success, dev split: from \d+ to \d+ %$/ }).waitFor();
  await page.getByRole('link', { name: 'clicks', exact: true }).click();
  await page.getByRole('heading', { name: 'Why is it stuck?' }).waitFor();
  await page.getByRole('row', { name: /^maze/ }).first().getByText('−12 (−50 to +25)').waitFor();
  const updates = page.getByText('4 updates as a table');
  await updates.click();

  const lines = (await readFile(join(directory, 'updates.jsonl'), 'utf8')).trim().split('\n');
  const last = JSON.parse(lines.at(-1)!) as object;
  const next = {
    ...last,
    at: new Date().toISOString(),
    environmentSteps: 9_999,
    success: { click: 1, maze: 0 },
    kl: 0.9,
  };
  await appendFile(join(directory, 'updates.jsonl'), `${JSON.stringify(next)}\n`);
  await page.getByText('5 updates as a table').waitFor();
  await page.getByText('The update at 9,999 steps moved the policy by a KL of 0.90').waitFor();
  await page.getByRole('rowheader', { name: '9,999' }).waitFor();

  const plot = page.getByRole('group', { name: /^Success in training/ });
  await plot.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.getByText('environment steps 104').first().waitFor();
  // All diagrams share the cross-hair.
  expect(await page.getByText('environment steps 104').count()).toBeGreaterThan(5);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Episodes of clicks' }).waitFor();
  const second = JSON.parse(lines[1]!) as Line;
  await page.getByText(`${second.episodes} match`).waitFor();
  const [first] = lines.map((line) => timeOf(line));
  const begun = episodes.filter(
    ({ purpose, startedAt }) => purpose === 'ppo' && startedAt >= first! && startedAt < timeOf(lines[1]!),
  );
  expect(begun).toHaveLength(second.episodes);
  await page.getByRole('button', { name: /^Lift the filter: started from/ }).click();
  await page.getByText('84 match').waitFor();
});

test('bands of the data flow lead to the episodes that were routed so', { timeout: 60_000 }, async () => {
  const { root, directory } = await theRecordedRun();
  const studio = await aStudio(root);
  const page = await openPage(browser.get(), studio.link);
  await page.getByRole('link', { name: 'clicks', exact: true }).click();
  const routed = (await readFile(join(directory, 'routes/cycle-2.jsonl'), 'utf8')).trim().split('\n');
  const toSft = routed.filter((line) => (JSON.parse(line) as { to: string }).to === 'sft').length;
  await page.getByRole('link', { name: `${toSft} episodes from V = 1 to SFT pool` }).focus();
  await page.keyboard.press('Enter');
  await page.getByText(`${toSft} match`).waitFor();
  await page.getByText('routed in cycle 2, solved, to sft').waitFor();
  await page.goBack();
  await page
    .getByRole('link', { name: /^maze: \d+ % of \d+ rollouts solved$/ })
    .first()
    .click();
  await page.getByText('4 match').waitFor();
});

test('results of all runs are compared by family, and saved', { timeout: 60_000 }, async () => {
  const { root, directory, episodes } = await theRecordedRun();
  const lake = await Lake.open(join(directory, 'lake'));
  onTestFinished(() => lake.close());
  // A person plays two of the tasks.
  for (const { id, end, verdict, turns, ...start } of episodes
    .filter(({ purpose }) => purpose === 'eval start')
    .slice(0, 2)) {
    const writer = await lake.begin({ ...start, id: `by hand ${id}`, policy: 'human:ada', purpose: 'played' });
    for (const turn of turns) await writer.append(turn);
    await writer.finish(end, { ...verdict!, success: true, score: 1 });
  }
  const studio = await aStudio(root);
  const page = await openPage(browser.get(), studio.link);
  await page.getByRole('link', { name: 'Results' }).click();
  await page.getByRole('columnheader', { name: 'human:ada' }).waitFor();
  const maze = page.getByRole('row', { name: /^maze/ });
  expect(await maze.getByRole('cell').allInnerTexts()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^63 %\s+31–86, n = 8/),
      expect.stringMatching(/^50 %\s+22–78, n = 8/),
    ]),
  );
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Markdown' }).click();
  const text = await readFile(await (await saved).path(), 'utf8');
  expect(text).toContain('| maze | 100 % (68–100), n = 8 |');
  const solved = page.locator('figure.panel').filter({ hasText: 'Solved within' }).first();
  await expectPicture(page, solved, 'turns.png');
  await page.getByLabel('before').selectOption('clicks · nano · eval start');
  await page.getByLabel('after').selectOption('clicks · nano · eval trained');
  await page.getByRole('row', { name: /^all tasks 16/ }).waitFor();
  const novelty = page.getByRole('region', { name: 'By how new the tasks are' });
  expect(await novelty.getByRole('rowheader').allInnerTexts()).toEqual(['new instances']);
  expect(await novelty.getByRole('row', { name: /^new instances 16 / }).count()).toBe(1);
  await page.getByText(/^\d lost$/).click();
  await page.getByRole('link', { name: 'A|B' }).first().click();
  await page
    .getByText(/The first difference is|same/)
    .first()
    .waitFor();
  await page.goto(`${studio.url}/results?split=dev`);
  await page.getByRole('columnheader', { name: /cycle 2/ }).waitFor();
});

test('the curriculum by difficulty counts rollouts, and leads to them', { timeout: 60_000 }, async () => {
  const { root, directory, episodes } = await theRecordedRun();
  const lake = await Lake.open(join(directory, 'lake'));
  onTestFinished(() => lake.close());
  // The recorded tasks have no difficulty: each third rollout again, at one of two.
  const levels = episodes
    .filter(({ purpose, task }) => purpose === 'ppo' && task.family === 'click')
    .filter((_, i) => i % 3 === 0)
    .map((episode, i) => ({ ...episode, id: `level ${i}`, difficulty: i % 2 === 0 ? 1 : 4 }));
  for (const { difficulty, end, verdict, turns, ...start } of levels) {
    const writer = await lake.begin({ ...start, task: { ...start.task, difficulty } });
    for (const turn of turns) await writer.append(turn);
    await writer.finish(end, verdict);
  }
  await lake.flush();
  const lines = (await readFile(join(directory, 'updates.jsonl'), 'utf8')).trim().split('\n');
  const ends = lines.map(timeOf);
  const expected = ends.map((end, i) =>
    [1, 4].map((difficulty) => {
      const inStretch = ({ startedAt }: { startedAt: string }) =>
        startedAt < end && (i === 0 || startedAt >= ends[i - 1]!);
      const played = levels.filter((level) => level.difficulty === difficulty && inStretch(level));
      return { played: played.length, solved: played.filter(({ verdict }) => verdict?.success).length };
    }),
  );
  expect(expected.flat().every(({ played }) => played > 0)).toBe(true);

  const studio = await aStudio(root);
  const page = await openPage(browser.get(), `${studio.url}/runs/clicks${new URL(studio.link).hash}`);
  await page.getByText('By difficulty', { exact: true }).click();
  const table = page.getByRole('region', { name: 'Rollouts by family and difficulty' });
  await table.waitFor();
  for (const [row, difficulty] of [1, 4].entries()) {
    const names = expected.map(
      (cells) =>
        `click at difficulty ${difficulty}: ${Math.round((100 * cells[row]!.solved) / cells[row]!.played)} % of ${cells[row]!.played} rollouts solved`,
    );
    const links = table.getByRole('link', { name: new RegExp(`^click at difficulty ${difficulty}:`) });
    for (const [i, link] of (await links.all()).entries()) expect(await link.getAttribute('aria-label')).toBe(names[i]);
    expect(await links.count()).toBe(names.length);
  }
  await expectAccessible(page);
  await table.getByRole('link').first().click();
  await page.getByText(`${expected[0]![0]!.played} match`).waitFor();
});

/** Saves a diagram by its button, and reads the picture. */
async function expectPicture(page: Page, panel: Locator, name: string): Promise<void> {
  const plot = await panel.locator('.plot canvas').evaluate((canvas) => {
    const { width, height } = canvas as unknown as { width: number; height: number };
    return { width, height };
  });
  const curves = await panel.locator('.legend li:not(.where)').count();
  const saved = page.waitForEvent('download');
  await panel.getByRole('button', { name: 'PNG' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe(name);
  const picture = sharp(await readFile(await download.path()));
  const { format, width, height } = await picture.metadata();
  // Title above, a line a curve below, and a margin at either side.
  expect({ format, width }).toEqual({ format: 'png', width: plot.width + 28 });
  expect(height).toBe(44 + plot.height + (curves + 0.5) * 20);
  // The curves themselves are in it: their colours are far from grey.
  const area = { left: 14 + 60, top: 44 + 10, width: plot.width - 80, height: plot.height - 60 };
  const pixels = await picture.extract(area).removeAlpha().raw().toBuffer();
  let coloured = 0;
  for (let i = 0; i < pixels.length; i += 3) {
    const [red, green, blue] = pixels.subarray(i, i + 3) as unknown as [number, number, number];
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > 60) coloured++;
  }
  expect(coloured).toBeGreaterThan(plot.width / 4);
}

test('pages of training and results are accessible, light, dark and narrow', { timeout: 90_000 }, async () => {
  const { root } = await theRecordedRun();
  const studio = await aStudio(root);
  for (const options of [{}, { dark: true }, { width: 390 }]) {
    const page = await openPage(browser.get(), studio.link, options);
    await page.getByText('75 → 69 %').waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    for (const path of ['/runs/clicks?smooth=50&x=minutes', '/results']) {
      await page.goto(studio.url + path);
      await page.getByRole('row', { name: /^maze/ }).first().waitFor();
      await page.evaluate('document.querySelectorAll("details").forEach((each) => (each.open = true))');
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
    }
  }
});
