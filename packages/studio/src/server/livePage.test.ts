import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { ControlClient, TaskSessions } from '@gyre/agent';
import { Lake } from '@gyre/lake';
import type { Episode } from '@gyre/protocol';
import { findBrowser } from '@gyre/sandbox';
import { openTask } from '@gyre/tasks';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { recordedTask } from '../recorded/recordedTask.js';
import { replayEpisode } from '../recorded/replayEpisode.js';
import { aStudio } from './studio.test.fixture.js';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: findBrowser().path, args: ['--no-sandbox'] });
});
afterAll(() => browser.close());

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const program = fileURLToPath(new URL('slowRollout.test.fixture.js', import.meta.url));

async function opened(link: string, { dark = false, width = 1280 } = {}): Promise<Page> {
  const context = await browser.newContext({
    ...{ colorScheme: dark ? 'dark' : 'light', viewport: { width, height: 860 }, bypassCSP: true },
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.on('pageerror', (error) => expect.soft(error.message).toBe(''));
  await page.goto(link);
  return page;
}

async function expectAccessible(page: Page, name: string): Promise<void> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
  );
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  const { GYRE_TEST_PICTURES: pictures } = env;
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Starts a rollout in a process of its own, whose policy thinks for `ms` before each turn. */
async function aRollout(tasks: readonly string[], ms: number) {
  const root = await mkdtemp(join(tmpdir(), 'gyre-live-'));
  const directory = join(root, 'mine', 'lake');
  await (await Lake.open(directory)).close();
  const child = spawn(process.execPath, [program, directory, String(ms), ...tasks], { stdio: 'inherit' });
  onTestFinished(async () => {
    await ended(child, 'SIGKILL');
    await rm(root, { recursive: true, force: true });
  });
  return { root, directory, child };
}

async function ended(child: ChildProcess, signal?: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  if (signal) child.kill(signal);
  await exit;
}

async function recorded(directory: string): Promise<Episode[]> {
  const lake = await Lake.open(directory);
  const episodes: Episode[] = [];
  for await (const episode of lake.episodes()) episodes.push(episode);
  await lake.close();
  return episodes;
}

test('a rollout is watched, paused, stepped, taken over and given back', { timeout: 240_000 }, async () => {
  const { root, directory, child } = await aRollout(['2048/test/0'], 2_000);
  const { link, url } = await aStudio(root);
  const page = await opened(`${url}/live${new URL(link).hash}`);
  const card = page.locator('.live-card');
  const client = new ControlClient(directory);
  const lake = await Lake.open(directory);
  await expect.poll(async () => (await lake.running()).length, { timeout: 30_000 }).toBe(1);
  await card.waitFor({ timeout: 2_000 });
  await lake.close();
  await card.click();

  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  const step = page.getByRole('button', { name: 'Step' });
  await expect.poll(() => step.isEnabled(), { timeout: 10_000 }).toBe(true);
  const turns = page.locator('.talk li');
  const before = await turns.count();
  await step.click();
  await expect.poll(() => turns.count(), { timeout: 10_000 }).toBe(before + 1);
  await expect.poll(() => step.isEnabled(), { timeout: 10_000 }).toBe(true);
  await page.getByText('I press somewhere').first().waitFor();

  await page.getByLabel('Your name').fill('Anna');
  await page.getByRole('button', { name: 'Take over' }).click();
  const screen = page.getByRole('application');
  await screen.waitFor();
  const second = await opened(page.url() + new URL(link).hash);
  await second.getByText('Anna has taken it over. You can watch.').waitFor();
  const [state] = await client.states();
  const taken = await fetch(`${url}/api/runs/mine/live/${state!.id}/take`, {
    ...{ method: 'POST', body: JSON.stringify({ viewer: 'another-page', by: 'Ben' }) },
    headers: { ...authorization(link), 'content-type': 'application/json' },
  });
  expect([taken.status, await taken.json()]).toMatchObject([409, { error: { code: 'held' } }]);

  const count = await turns.count();
  await screen.click({ position: { x: 40, y: 30 } });
  await expect.poll(() => turns.count(), { timeout: 10_000 }).toBe(count + 1);
  await page.keyboard.type('kettle');
  await expect.poll(() => turns.count(), { timeout: 10_000 }).toBe(count + 2);
  await expectAccessible(page, 'cockpit-mine');
  for (const [name, options] of Object.entries({ light: {}, dark: { dark: true }, narrow: { width: 390 } })) {
    const watching = await opened(page.url() + new URL(link).hash, options);
    await watching.locator('.talk li').first().waitFor();
    await expectAccessible(watching, `cockpit-${name}`);
    await watching.goto(`${url}/live`);
    await watching.locator('.live-card').waitFor();
    await expectAccessible(watching, `wall-${name}`);
  }
  await page.getByLabel('Note for the policy').fill('clear the field first');
  await page.getByRole('button', { name: 'Give back' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.getByText(/Anna says: clear the field first/).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Stop it for good' }).click();
  await page.getByText('Ended: cut').waitFor({ timeout: 10_000 });
  await ended(child);

  const [episode] = await recorded(directory);
  expect(episode!.end).toEqual({ state: 'cut' });
  const persons = episode!.turns.filter(({ by }) => by === 'Anna');
  expect(persons.map(({ actions }) => actions.map(({ type }) => type))).toEqual([['click'], ['type']]);
  expect(persons[1]!.actions).toEqual([{ type: 'type', text: 'kettle' }]);
  expect(episode!.turns.some(({ by }) => by === undefined)).toBe(true);
  // Time stood still for the person too.
  const pool = new TaskSessions({ browsers: 1, sessionsPerBrowser: 1 });
  onTestFinished(() => pool.close());
  const environment = openTask(recordedTask(episode!), pool);
  const { signal } = new AbortController();
  expect(await replayEpisode(episode!, environment, { signal })).toMatchObject({ identical: true });
});

const authorization = (link: string) => ({
  authorization: `Bearer ${new URLSearchParams(new URL(link).hash.slice(1)).get('token')}`,
});

test('the wall tells that a rollout was killed', { timeout: 60_000 }, async () => {
  const { root, child } = await aRollout(['form/test/3', 'tabs/test/3'], 60_000);
  const { link, url } = await aStudio(root);
  const page = await opened(`${url}/live${new URL(link).hash}`);
  await expect.poll(() => page.locator('.live-card').count(), { timeout: 30_000 }).toBe(2);
  child.kill('SIGKILL');
  const since = performance.now();
  await expect.poll(() => page.locator('.live-card.killed').count(), { timeout: 10_000 }).toBe(2);
  expect(performance.now() - since).toBeLessThan(10_000);
  await page.locator('.live-card').first().click();
  await page.getByText('The process that played it has died.').waitFor();
});
