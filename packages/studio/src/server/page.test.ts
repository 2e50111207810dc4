import type { EpisodeStart } from '@gyre/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { aBrowser, expectAccessible, expectNoSidewaysScroll, openPage } from './chromium.test.fixture.js';
import { aRun, aStudio, scripted } from './studio.test.fixture.js';

const browser = aBrowser();
const opened = (link: string, options?: Parameters<typeof openPage>[2]) => openPage(browser.get(), link, options);

test('an episode is found, followed by keys, repeated and forked', { timeout: 120_000 }, async () => {
  const { root, lake, episodes } = await aRun(['tabs/test/3', 'click/test/7'], scripted.random!());
  await lake.close();
  const { link } = await aStudio(root);
  const page = await opened(link);
  expect(new URL(page.url()).hash).toBe('');
  await page.getByRole('link', { name: /mine/ }).click();
  await page.getByRole('row').nth(2).waitFor();
  expect(await page.getByRole('row').count()).toBe(3);
  await page.getByLabel('tabs').check();
  await page.getByText('1 match').waitFor();
  expect(new URL(page.url()).search).toContain('tabs');
  await page.reload();
  await page.getByText('1 match').waitFor();

  const episode = episodes.find(({ task }) => task.family === 'tabs')!;
  await page.getByRole('link', { name: episode.task.instruction }).click();
  await page.getByRole('heading', { name: 'Turn 1', exact: true }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('heading', { name: 'Turn 2', exact: true }).waitFor();
  await page.keyboard.press('End');
  await page.getByRole('heading', { name: 'End', exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe(`?turn=${episode.turns.length}`);
  await page.keyboard.press('v');
  await page.getByText(`${episode.turns.length + 1} screens are identical`).waitFor({ timeout: 30_000 });
  expect(await page.getByRole('button', { name: /, same when repeated/ }).count()).toBe(episode.turns.length + 1);

  await page.keyboard.press('Home');
  await page.keyboard.press('f');
  await page.getByLabel('Policy').selectOption('oracle');
  await page.getByLabel('Attempts').fill('1');
  await page.getByRole('button', { name: 'Continue after turn 0' }).click();
  await page.getByText('1 of 1 solved').waitFor({ timeout: 30_000 });
  await page.getByRole('link', { name: /^oracle, \d turns$/ }).click();
  await page.getByText('another episode after turn 0').waitFor();
  await page.getByRole('link', { name: 'A|B' }).click();
  await page.getByText('The first difference is the action of').waitFor();
  expect(await page.getByRole('button', { name: 'turn 1', exact: true }).count()).toBe(1);
  await page.keyboard.press('End');
  await page.getByText('End', { exact: true }).or(page.getByText('It has ended before.')).first().waitFor();
  await expectAccessible(page);
});

test('pages are accessible, light and dark, and fit a narrow window', { timeout: 120_000 }, async () => {
  const { root, lake, episodes } = await aRun(['tabs/test/3']);
  await lake.close();
  const { link, url } = await aStudio(root);
  for (const options of [{}, { dark: true }, { width: 390 }]) {
    const page = await opened(link, options);
    await page.getByRole('link', { name: /mine/ }).waitFor();
    await expectAccessible(page);
    await page.goto(`${url}/runs/mine/episodes`);
    await page.getByRole('row').nth(1).waitFor();
    await page.getByText('SQL', { exact: true }).click();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('cell', { name: 'tabs' }).first().waitFor();
    await expectAccessible(page);
    await page.goto(`${url}/runs/mine/episodes/${episodes[0]!.id}`);
    await page.getByRole('heading', { name: 'Turn 1', exact: true }).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  }
});

test('what a task or a policy says is shown as text', async () => {
  const { root, lake, episodes } = await aRun(['click/test/7']);
  const { end, verdict, turns, ...start } = episodes[0]!;
  const hostile = '<img src=x onerror="globalThis.attacked = true">';
  const task = { ...start.task, instruction: hostile };
  const begun: EpisodeStart = { ...start, id: 'hostile', task, policy: hostile };
  const writer = await lake.begin(begun);
  const actions = [{ type: 'type', text: hostile } as const];
  await writer.append({ ...turns[0]!, thought: hostile, text: hostile, actions });
  await writer.finish(end, verdict);
  await lake.close();
  const { link, url } = await aStudio(root);
  const page = await opened(link);
  await page.getByRole('link', { name: /mine/ }).waitFor();
  for (const path of ['/runs/mine/episodes', '/runs/mine/episodes/hostile']) {
    await page.goto(url + path);
    await page.getByText(hostile).first().waitFor();
  }
  await page.getByRole('heading', { name: 'Turn 1', exact: true }).waitFor();
  expect(await page.evaluate(() => 'attacked' in globalThis)).toBe(false);
});

test('a page without a token says so', async () => {
  const { root, lake } = await aRun([]);
  await lake.close();
  const { url } = await aStudio(root);
  const page = await browser.get().newPage();
  onTestFinished(() => page.close());
  await page.goto(url);
  await page.getByText('This page has no valid token. Open the link that gyre studio printed.').waitFor();
});
