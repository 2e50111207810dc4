import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { aBrowser, expectAccessible, expectNoSidewaysScroll, openPage } from './chromium.test.fixture.js';
import { aRun, aStudio } from './studio.test.fixture.js';

const browser = aBrowser();

/** Pages of a run, and how each says what it has. */
const pagesOf = (episode: string | undefined): readonly (readonly [path: string, heading: RegExp])[] => [
  ['/', /^Runs$/],
  ['/live', /^Live$/],
  ['/results', /^Results$/],
  ['/runs/mine', /^mine$/],
  ['/runs/mine/episodes', /^Episodes of mine$/],
  ['/runs/mine/annotate', /./],
  ['/runs/mine/review', /^Review$/],
  ...(episode === undefined
    ? []
    : ([
        [`/runs/mine/episodes/${episode}`, /./],
        [`/runs/mine/compare?a=${episode}&b=${episode}`, /./],
        [`/live/mine/${episode}`, /./],
      ] as const)),
];

async function expectPages(page: Page, url: string, episode?: string): Promise<void> {
  for (const [path, name] of pagesOf(episode)) {
    await page.goto(url + path);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    expect(await page.getByRole('alert').count(), path).toBe(0);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
  }
}

test('every page says what to do where nothing has been played yet', { timeout: 120_000 }, async () => {
  const { root, lake } = await aRun([]);
  await lake.close();
  const { link, url } = await aStudio(root);
  await expectPages(await openPage(browser.get(), link), url);
});

test('every page shows a lake of one episode', { timeout: 120_000 }, async () => {
  const { root, lake, episodes } = await aRun(['click/test/7']);
  await lake.close();
  const { link, url } = await aStudio(root);
  await expectPages(await openPage(browser.get(), link), url, episodes[0]!.id);
});

test(
  'with a flipped byte in the lake, a banner names the file, and every page works',
  { timeout: 120_000 },
  async () => {
    const { root, lake, episodes } = await aRun(['click/test/7']);
    const [whole] = episodes;
    // Another file, which is damaged.
    const { turns: _, end, verdict, ...start } = whole!;
    await (await lake.begin({ ...start, id: 'damaged' })).finish(end, verdict);
    await lake.close();
    const folder = join(root, 'mine', 'lake', 'episodes');
    const damaged = (await readdir(folder)).sort().at(-1)!;
    const bytes = await readFile(join(folder, damaged));
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(join(folder, damaged), bytes);
    const { link, url } = await aStudio(root);
    const page = await openPage(browser.get(), link);
    await page.goto(`${url}/runs/mine/episodes`);
    await page.getByText('1 damaged file is left out').waitFor();
    await page.getByText('1 ended').waitFor();
    await expectPages(page, url, whole!.id);
  },
);

test('no other page can show the studio in a frame', async () => {
  const { root, lake } = await aRun([]);
  await lake.close();
  const { link } = await aStudio(root);
  const page = await browser.get().newPage();
  await mkdir(join(root, 'elsewhere'));
  await writeFile(join(root, 'elsewhere', 'page.html'), `<iframe src="${link}"></iframe>`);
  const framed = page.waitForResponse(new URL(link).origin + '/');
  await page.goto(`file://${join(root, 'elsewhere', 'page.html')}`);
  expect((await framed).status()).toBe(403);
  await page.frameLocator('iframe').getByText('open its address directly').waitFor();
  await page.close();
});
