import { expect, test } from 'vitest';
import { aBrowser, expectAccessible, expectNoSidewaysScroll, openPage } from './chromium.test.fixture.js';
import { aRun, aStudio } from './studio.test.fixture.js';

const browser = aBrowser();

test('the palette finds pages, runs, tasks, episodes and commands, by keys alone', { timeout: 120_000 }, async () => {
  const { root, lake, episodes } = await aRun(['tabs/test/3', 'click/test/7']);
  await lake.close();
  const { link } = await aStudio(root);
  const page = await openPage(browser.get(), link);
  await page.getByRole('link', { name: 'mine', exact: true }).waitFor();
  const { id, task } = episodes.find((each) => each.task.family === 'tabs')!;
  const text = page.getByRole('combobox', { name: 'Run, episode' });
  const pick = async (words: string, option: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await text.fill(words);
    await page.getByRole('option', { name: option }).first().waitFor();
    const options = await page.getByRole('option').allTextContents();
    const place = options.findIndex((each) => each.includes(option));
    for (let i = 0; i < place; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  };
  await pick(id.slice(0, 8), id.slice(0, 8));
  await page.getByRole('heading', { name: task.instruction }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await pick('verify', 'verify');
  await page.getByText(/\d screens are identical/).waitFor({ timeout: 30_000 });
  await pick('tabs', 'tabs: episodes in mine');
  await page.getByText('1 match').waitFor();
  await pick(task.instruction.slice(4, 20).toUpperCase(), task.instruction);
  await page.getByRole('heading', { name: 'Turn 1', exact: true }).waitFor();
  await pick('results', 'Results');
  await page.getByRole('heading', { name: 'Results', exact: true }).waitFor();

  await page.keyboard.press('g');
  await page.keyboard.press('e');
  await page.getByRole('heading', { name: 'Episodes of mine' }).waitFor();
  await page.getByRole('row').nth(2).waitFor();
  await page.keyboard.press('j');
  const focused = 'document.activeElement.closest("[role=row]").getAttribute("aria-rowindex")';
  expect(await page.evaluate(focused)).toBe('2');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByText('next row').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Command line', { exact: true }).click();
  await page.getByText(/^npx gyre lake sql 'SELECT episode_id.*--directory/).waitFor();
});

test('palette and keys are accessible, light, dark and narrow', { timeout: 60_000 }, async () => {
  const { root, lake } = await aRun(['click/test/7']);
  await lake.close();
  const { link } = await aStudio(root);
  for (const options of [{}, { dark: true }, { width: 390 }]) {
    const page = await openPage(browser.get(), link, options);
    await page.getByRole('link', { name: 'mine', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('combobox').fill('click');
    await page.getByRole('option', { name: 'click: episodes in mine' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  }
});

test('finding needs a token, and a text', async () => {
  const { root, lake } = await aRun(['click/test/7']);
  await lake.close();
  const { url, token } = await aStudio(root);
  expect((await fetch(`${url}/api/find?text=click`)).status).toBe(401);
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${url}/api/find?text=%20`, { headers })).status).toBe(400);
  // A quote is a character like any other.
  const odd = await fetch(`${url}/api/find?text=${encodeURIComponent("'; DROP TABLE x --")}`, { headers });
  expect(await odd.json()).toEqual({ episodes: [], families: [] });
});
