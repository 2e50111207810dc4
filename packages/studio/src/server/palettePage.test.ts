import { expect, onTestFinished, test } from 'vitest';
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

test('keys are listed where they do something', { timeout: 120_000 }, async () => {
  const { root, lake, episodes } = await aRun(['click/train/1']);
  const { turns: _turns, end: _end, verdict: _verdict, ...start } = episodes[0]!;
  await lake.begin({ ...start, id: 'unfinished' });
  onTestFinished(() => lake.close());
  const { link, url } = await aStudio(root);
  const page = await openPage(browser.get(), link);
  const listed = async (): Promise<string[]> => {
    await page.getByRole('button', { name: 'Keys' }).click();
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.waitFor();
    const keys = await dialog.locator('section').first().locator('dl > div').allInnerTexts();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    return keys.map((each) => each.replaceAll(/\s+/g, ' '));
  };
  await page.goto(`${url}/runs/mine/episodes/${episodes[0]!.id}`);
  await page.getByRole('button', { name: /^Play from turn 0/ }).waitFor();
  expect(await listed()).toEqual(expect.arrayContaining(['v verify', 'f fork here', 'p play from here']));
  // What is being played cannot be repeated yet.
  await page.goto(`${url}/runs/mine/episodes/unfinished`);
  await page.getByText('it is still being played').first().waitFor();
  const keys = await listed();
  expect(keys).toContain('space play or pause');
  expect(keys.filter((each) => /verify|fork|play from/.test(each))).toEqual([]);

  await page.goto(`${url}/live`);
  await page.getByText('Play a task yourself').click();
  await page.getByLabel('Your name').fill('Cara');
  await page.getByLabel('Task').fill('click/train/7');
  await page.getByRole('button', { name: 'Play and record' }).click();
  await page.getByRole('application').waitFor({ timeout: 20_000 });
  const played = await listed();
  expect(played).toContain('ctrl alt space switch the microphone on or off');
  // Nobody else has its turns.
  expect(played.filter((each) => each.includes('give back'))).toEqual([]);

  await page.goto(`${url}/runs/mine/annotate`);
  await page.getByLabel('Your name').fill('Ben');
  await page.getByRole('button', { name: 'Annotate the next task' }).click();
  await page.getByRole('button', { name: /^Hold to talk/ }).waitFor({ timeout: 20_000 });
  expect(await listed()).toContainEqual(expect.stringMatching(/^space talk while held/));
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
