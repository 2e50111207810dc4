import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Oracle, TaskSessions } from '@gyre/agent';
import { exportEpisodes } from '@gyre/lake';
import { architectureOf, firstWeights, readDemonstrations, Settings, sft, Workspace } from '@gyre/training';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { annotateByScript, annotatorBrowser, reviewByScript } from '../annotation/double/scriptedAnnotator.js';
import { aRun, aStudio, scripted } from './studio.test.fixture.js';

let browser: Browser;
beforeAll(async () => {
  browser = await annotatorBrowser();
});
afterAll(() => browser.close());

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function opened(link: string, { dark = false, width = 1280 } = {}): Promise<Page> {
  const context = await browser.newContext({
    ...{ colorScheme: dark ? 'dark' : 'light', viewport: { width, height: 860 }, bypassCSP: true },
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  onTestFinished(() => expect(faults).toEqual([]));
  await page.goto(link);
  return page;
}

async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
  );
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
}

/** Proposes what the scripted solution does, or waits. */
const halfRight: Oracle = {
  name: 'half',
  solve: async (solution, { random }) => {
    const turn = await solution.oracle();
    return random() < 0.6 ? { ...turn, thought: 'as planned' } : { actions: [{ type: 'wait', seconds: 1 }] };
  },
};

test('people annotate and review on the page, and the policy trains on exactly what they accepted', async () => {
  const { root, lake } = await aRun([]);
  const studio = await aStudio(root, { half: () => halfRight });
  const machines = new TaskSessions({ browsers: 1, sessionsPerBrowser: 1 });
  onTestFinished(() => machines.close());
  const { hash } = new URL(studio.link);
  const page = await opened(`${studio.url}/runs/mine/annotate${hash}`);
  const report = await annotateByScript({
    ...{ page, machines, name: 'ann', policy: 'half', family: 'search', tasks: 3, seed: 'test' },
    ...{ editShare: 0.5, mistakeShare: 0.4 },
  });
  for (const [name, count] of Object.entries(report)) expect(count, name).not.toBe(0);
  expect(await reviewByScript(page, `${studio.url}/runs/mine/review`, 'bob')).toBe(3);
  await page.goto(`${studio.url}/runs/mine/annotate`);
  await page.getByText(/^ann: 3 episodes/).waitFor();
  await studio.close();

  const samples = await lake.pool('sft').samples();
  expect(samples.map(({ by, origin }) => [by, origin])).toEqual(Array.from({ length: 3 }, () => ['ann', 'annotated']));
  const episodes = [];
  for await (const episode of lake.episodes({ purpose: 'annotation', state: 'finished' })) episodes.push(episode);
  const turns = episodes.flatMap((episode) => episode.turns);
  expect(turns.filter(({ edited }) => edited)).toHaveLength(report.edited);
  expect(turns.filter(({ candidates = [] }) => !candidates.some(({ chosen }) => chosen))).toHaveLength(
    report.overridden,
  );
  expect(turns).toHaveLength(report.accepted + report.edited + report.overridden);
  expect(episodes.every(({ verdict }) => verdict?.success)).toBe(true);
  const exported = await exportEpisodes(lake, join(root, 'exported'), {}, { format: 'sft', pool: 'sft' });
  expect(exported).toMatchObject({ episodes: 3, rows: turns.length });
  const rows = await readFile(join(root, 'exported', 'data', 'train.jsonl'), 'utf8');
  for (const { thought, edited } of turns) if (edited) expect(rows).toContain(thought);
  await lake.close();

  const settings = Settings.parse({ from: 'base', families: ['search'], browsers: 1, sessions: 1 });
  const architecture = await architectureOf(settings);
  const workspace = await Workspace.open({ dir: join(root, 'mine'), ...settings, architecture });
  onTestFinished(() => workspace.close());
  await workspace.learner.engine.load(firstWeights(settings)!, { optimiser: false });
  expect(await readDemonstrations(workspace, settings.sft)).toHaveLength(turns.length);
  const { steps, curve } = await sft(workspace, settings, { steps: 1 });
  expect(steps).toBe(1);
  expect(curve[0]?.demonstrationLoss).toBeGreaterThan(0);
}, 180_000);

test('the pages are accessible, light and dark, and fit a narrow window', async () => {
  const { root, lake } = await aRun(['search/train/1'], scripted.random!());
  await lake.close();
  const studio = await aStudio(root);
  const { hash } = new URL(studio.link);
  const pictures = process.env.STUDIO_PICTURES;
  for (const options of [{}, { dark: true }, { width: 390 }]) {
    const look = async (name: string): Promise<void> => {
      if (pictures === undefined) return;
      await page.screenshot({
        path: `${pictures}/${name}-${options.dark ? 'dark' : (options.width ?? 'light')}.png`,
        fullPage: true,
      });
    };
    const page = await opened(`${studio.url}/runs/mine/annotate${hash}`, options);
    await page.getByText('not tried').first().waitFor();
    await expectAccessible(page);
    await look('queue');
    await page.getByLabel('Your name').fill('ann');
    await page.getByRole('combobox').selectOption('random');
    await page.getByLabel(/^Families/).fill('search');
    await page.getByRole('button', { name: 'Annotate the next task' }).click();
    await page.locator('.candidates li').nth(3).waitFor();
    await page.getByRole('application').hover({ position: { x: 80, y: 60 } });
    await expectAccessible(page);
    await look('work');
    await page.keyboard.press('t');
    const action = page.getByLabel('Action', { exact: true });
    await action.pressSequentially('ty');
    await page.keyboard.press('Tab');
    await action.pressSequentially("karo')");
    await page.getByText('<function').waitFor();
    await expectAccessible(page);
    await look('write');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'type "karo"' }).waitFor();
    await page.keyboard.press('x');
    await page.getByLabel(/^Why/).fill('<img src=x onerror="globalThis.attacked = true">');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Submit as hopeless' }).click();
    await page.getByText(/turn 1 of/).waitFor();
    await page.goto(`${studio.url}/runs/mine/review`);
    await page
      .getByRole('link', { name: /^search\/train/ })
      .first()
      .click();
    await page.getByText(/^Turn 1:/).waitFor();
    await page
      .getByText('bad', { exact: true })
      .or(page.getByText(/^Turn 1:/))
      .first()
      .waitFor();
    await page.keyboard.press('c');
    await page.getByLabel('Comment on turn 1').fill('typed into nothing');
    await page.keyboard.press('Enter');
    await page.keyboard.press('n');
    await page.keyboard.press('k');
    await page.getByText('typed into nothing').waitFor();
    await expectAccessible(page);
    await look('review');
    await page.getByLabel('Your name').fill('bob');
    await page.getByRole('button', { name: 'Return' }).click();
    await page.getByText(/^\d reviews/).waitFor();
    expect(await page.evaluate(() => 'attacked' in globalThis)).toBe(false);
    await page.goto(`${studio.url}/runs/mine/annotate`);
    await page.getByLabel('Your name').fill('ann');
    await page.getByRole('combobox').selectOption('random');
    await page.getByRole('button', { name: 'Annotate the next task' }).click();
    await page.getByRole('button', { name: 'Give the task back' }).click();
    await page.getByRole('button', { name: 'Annotate the next task' }).waitFor();
  }
}, 180_000);
