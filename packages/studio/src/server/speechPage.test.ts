import { createHash } from 'node:crypto';
import type { Lake } from '@gyre/lake';
import type { Episode, SpeechEntry } from '@gyre/protocol';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { transcriptionServer, type TranscriptionRequest } from '../speech/double/transcriptionServer.js';
import { openaiTranscriber } from '../speech/transcriber.js';
import { expectAccessible, expectNoSidewaysScroll, openPage } from './chromium.test.fixture.js';
import { aBrowserThatHears, notesOf, onsetsIn, witness } from './microphone.test.fixture.js';
import { serveStudio } from './server.js';
import { aRun, policiesOf } from './studio.test.fixture.js';
import { pictureOf } from './pictures.test.fixture.js';

const browser = aBrowserThatHears();
const recognised = 'Maple is choosen, now I type in to the field.';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function aStudioThatListens(
  root: string,
  answer: (request: TranscriptionRequest) => ReturnType<Parameters<typeof transcriptionServer>[0]>,
) {
  const double = await transcriptionServer(answer);
  onTestFinished(() => double.close());
  const transcriber = openaiTranscriber({ url: double.url, model: 'whisper-1', apiKey: 'secret' });
  const server = await serveStudio({ runs: [root], policies: policiesOf(), transcriber });
  onTestFinished(() => server.close());
  const fragment = new URL(server.link).hash;
  return { double, link: (path: string) => `${server.url}${path}${fragment}` };
}

async function episodeOf(lake: Lake, id: string): Promise<Episode> {
  for await (const episode of lake.episodes({ ids: [id] })) return episode;
  throw new Error(`no ${id}`);
}

const idIn = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1)!;

test(
  'a person plays on from a turn and thinks aloud: every word is at its turn, to 100 ms',
  { timeout: 180_000 },
  async () => {
    const { root, lake, episodes } = await aRun(['form/train/3']);
    const [parent] = episodes;
    let failures = 1;
    const { double, link } = await aStudioThatListens(root, () =>
      failures-- > 0
        ? { status: 503, body: '{"error":{"message":"loading"}}' }
        : {
            text: ` ${recognised}
`,
          },
    );
    const page = await openPage(browser.get(), 'about:blank');
    await witness(page);
    await page.goto(link(`/runs/mine/episodes/${parent!.id}?turn=1`));
    await page.getByRole('button', { name: 'Play from turn 1 yourself' }).waitFor();
    await page.keyboard.press('p');
    await page.keyboard.type('Anna');
    await page.keyboard.press('Enter');
    const screen = page.getByRole('application');
    await screen.waitFor({ timeout: 20_000 });
    const id = idIn(page);
    const turns = page.locator('.talk li');
    expect(await turns.count()).toBe(1);

    const microphone = page.getByRole('status').filter({ hasText: /recording|microphone/ });
    await page.keyboard.press('Control+Alt+Space');
    await microphone.filter({ hasText: /^recording/ }).waitFor();
    await pause(1_800);
    const act = async (count: number): Promise<void> => {
      await screen.click({ position: { x: 6, y: 6 } });
      await expect.poll(() => turns.count(), { timeout: 10_000 }).toBe(count);
    };
    await act(2);
    await pause(1_600);
    await act(3);
    await pause(1_200);
    await page.keyboard.press('Control+Alt+Space');
    await microphone.filter({ hasText: /^microphone off/ }).waitFor();
    await page.locator('.talk q').first().waitFor({ timeout: 20_000 });
    await expectAccessible(page);
    await pictureOf(page, 'speech-cockpit');
    await page.getByRole('button', { name: 'Finish the task' }).click();
    await page.getByRole('status').filter({ hasText: 'olved' }).waitFor({ timeout: 10_000 });

    await expect
      .poll(async () => (await lake.speech()).get(id)?.filter(({ type }) => type === 'recording').length)
      .toBe(3);
    const entries = (await lake.speech()).get(id)!;
    const recordings = entries.filter((entry) => entry.type === 'recording');
    const { heard, sent } = await notesOf(page);
    const chunks = Object.values(sent).map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part, 'base64'))));
    const hashes = chunks.map((bytes) => createHash('sha256').update(bytes).digest('hex'));
    expect(recordings.map(({ hash }) => hash).sort()).toEqual([...hashes].sort());
    for (const [i, hash] of hashes.entries()) expect(Buffer.compare(await lake.audio(hash), chunks[i]!)).toBe(0);

    const errors: number[] = [];
    for (const recording of recordings) {
      for (const onset of await onsetsIn(page, await lake.audio(recording.hash)))
        errors.push(off(heard, recording, onset));
    }
    expect(errors.length).toBeGreaterThan(6);
    const episode = await episodeOf(lake, id);
    let before = -Infinity;
    for (const { at: turnAt, audio, by, index } of episode.turns) {
      expect([index, by]).toEqual([index, index === 0 ? undefined : 'Anna']);
      if (turnAt === undefined) continue;
      const onsets: number[] = [];
      for (const clip of audio ? [audio, ...(audio.more ?? [])] : []) {
        const recording = recordings.find(({ hash }) => hash === clip.hash)!;
        const url = link(`/api/runs/mine/audio/${clip.hash}?fromMs=${clip.fromMs}&toMs=${clip.toMs}`);
        const part = await fetch(url.split('#')[0]!, { headers: authorization(url) });
        for (const onset of await onsetsIn(page, new Uint8Array(await part.arrayBuffer()))) {
          errors.push(off(heard, recording, clip.fromMs + onset));
          onsets.push(Date.parse(recording.at) + clip.fromMs + onset);
        }
      }
      // Beeps near a turn may be at either side of it.
      const began = Math.max(before, Math.min(...recordings.map((each) => Date.parse(each.at))));
      const end = Math.min(
        Date.parse(turnAt),
        Math.max(...recordings.map((each) => Date.parse(each.at) + each.durationMs)),
      );
      const certain = heard.filter((ms) => ms > began + 150 && ms < end - 150);
      for (const ms of certain) expect(Math.min(...onsets.map((each) => Math.abs(each - ms)))).toBeLessThan(100);
      for (const ms of onsets) expect(ms > began - 100 && ms < end + 100).toBe(true);
      before = Date.parse(turnAt);
    }
    expect(Math.max(...errors), `of ${errors.length} beeps, in ms`).toBeLessThan(100);

    expect(episode).toMatchObject({ policy: 'human:Anna', purpose: 'fork', fork: { episode: parent!.id, turn: 1 } });
    expect(episode.turns.slice(1, 3).map(({ actions }) => actions.map(({ type }) => type))).toEqual([
      ['click'],
      ['click'],
    ]);
    const [request] = double.requests;
    expect(request).toMatchObject({ model: 'whisper-1', authorization: 'Bearer secret', fileName: 'speech.webm' });

    // The first answer was an error: the sound is there, and is transcribed later.
    await page.goto(link(`/runs/mine/episodes/${id}?turn=1`));
    await page.getByText(/HTTP 503: loading/).waitFor();
    await page.getByRole('button', { name: 'Transcribe with whisper-1' }).click();
    const text = page.getByRole('textbox', { name: 'What was said' });
    await expect.poll(() => text.inputValue(), { timeout: 10_000 }).toBe(recognised);
    const write = async (words: string): Promise<void> => {
      await text.fill(words);
      await page.getByRole('button', { name: 'Save the text' }).click();
      await page.locator('p.thought').filter({ hasText: words }).waitFor();
    };
    await write('Maple is chosen. Now I type into the field.');
    await page.getByText(/^Recognised:/).waitFor();
    await expectAccessible(page);
    await pictureOf(page, 'speech-episode');
    await write('I open the field <img src=x onerror=alert(1)>');
    const [, spoken] = (await episodeOf(lake, id)).turns;
    expect(spoken!.thought).toBe('I open the field <img src=x onerror=alert(1)>');
    expect(spoken!.audio!.transcript).toBe(recognised);
    await page.goto(link(`/runs/mine/episodes/${parent!.id}`));
    await page
      .locator('.tree')
      .getByText(/^human:Anna/)
      .waitFor();
    for (const options of [{ dark: true }, { width: 390 }]) {
      const narrowOrDark = await openPage(browser.get(), link(`/runs/mine/episodes/${id}?turn=1`), options);
      await narrowOrDark.locator('audio').first().waitFor();
      await expectAccessible(narrowOrDark);
      await expectNoSidewaysScroll(narrowOrDark);
      await pictureOf(narrowOrDark, `speech-episode-${Object.keys(options)[0]}`);
    }

    // With the policy of the page in force.
    const context = await browser.get().newContext();
    onTestFinished(() => context.close());
    const strict = await context.newPage();
    await strict.goto(link(`/runs/mine/episodes/${id}?turn=1`));
    const audio = strict.locator('audio').first();
    await audio.waitFor();
    await expect.poll(() => audio.evaluate((element) => (element as unknown as Sound).duration)).toBeGreaterThan(1);
    expect(await audio.evaluate((element) => (element as unknown as Sound).play())).toBe(undefined);
  },
);

interface Sound {
  readonly duration: number;
  play(): Promise<void>;
}

/** Returns how far a beep in a recording is from the nearest one that the page heard, in ms. */
const off = (heard: readonly number[], { at }: Extract<SpeechEntry, { type: 'recording' }>, onset: number): number =>
  Math.min(...heard.map((ms) => Math.abs(ms - (Date.parse(at) + onset))));

const authorization = (link: string) => ({
  authorization: `Bearer ${new URLSearchParams(new URL(link).hash.slice(1)).get('token')}`,
});

test(
  'space is held to talk while a person annotates, and nothing is lost without a server',
  { timeout: 120_000 },
  async () => {
    const { root, lake } = await aRun(['click/train/1']);
    const server = await serveStudio({ runs: [root], policies: policiesOf() });
    onTestFinished(() => server.close());
    const page = await openPage(browser.get(), `${server.url}/runs/mine/annotate${new URL(server.link).hash}`);
    await page.getByLabel('Your name').fill('Ben');
    await page.getByRole('button', { name: 'Annotate the next task' }).click();
    await page.getByRole('button', { name: /Hold to talk/ }).waitFor({ timeout: 20_000 });
    await page.locator('body').click({ position: { x: 2, y: 2 } });
    await page.keyboard.down('Space');
    await page.getByText(/^recording$/).waitFor();
    await pause(900);
    await page.keyboard.up('Space');
    await page.getByText(/^microphone off/).waitFor();
    await expect.poll(async () => [...(await lake.speech()).values()].flat().length, { timeout: 10_000 }).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByText('recorded', { exact: true }).first().waitFor({ timeout: 20_000 });
    await pictureOf(page, 'speech-annotate');
    await expectAccessible(page);
    const [entry] = [...(await lake.speech()).values()].flat();
    expect(entry).toMatchObject({ type: 'recording', by: 'Ben' });
    await expect.poll(async () => (await lake.running()).some(({ id }) => id === entry!.episode)).toBe(true);
  },
);

test('a task that a person plays from the wall is recorded as their episode', { timeout: 60_000 }, async () => {
  const { root, lake } = await aRun(['click/train/1']);
  const server = await serveStudio({ runs: [root], policies: policiesOf() });
  onTestFinished(() => server.close());
  const page = await openPage(browser.get(), `${server.url}/live${new URL(server.link).hash}`);
  await page.getByText('Play a task yourself').click();
  await expectAccessible(page);
  await page.getByLabel('Your name').fill('Cara');
  await page.getByLabel('Task').fill('click/train/7');
  await page.getByRole('button', { name: 'Play and record' }).click();
  await page.getByRole('application').click({ position: { x: 6, y: 6 } });
  await page.locator('.talk li').first().waitFor({ timeout: 10_000 });
  await page.getByRole('button', { name: 'Finish the task' }).click();
  await page.getByRole('status').filter({ hasText: 'olved' }).waitFor({ timeout: 10_000 });
  const episode = await episodeOf(lake, idIn(page));
  expect(episode).toMatchObject({ policy: 'human:Cara', purpose: 'play', task: { id: 'click/train/7' } });
  expect(episode.turns.map(({ by }) => by)).toEqual(episode.turns.map(() => 'Cara'));
});
