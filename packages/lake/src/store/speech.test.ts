import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Episode, Episode as EpisodeSchema, type SpeechEntry, type Turn } from '@gyre/protocol';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { Lake } from '../index.js';
import { aFolder } from './folder.test.fixture.js';
import { allOf, anEpisode, aTurn, record } from './sample.test.fixture.js';
import { spokenTurns, withSpeech } from './speech.js';

const start = Date.parse('2026-11-30T10:00:00.000Z');
const time = (ms: number): string => new Date(start + ms).toISOString();
const turnAt = (index: number, ms: number, more: Partial<Turn> = {}): Turn => {
  const { thought: _, ...turn } = aTurn(index);
  return { ...turn, by: 'ann', at: time(ms), ...more };
};
const played = (...turns: Turn[]): Episode => anEpisode('e', 0, { turns, policy: 'human:ann' });
const recording = (hash: string, at: number, durationMs: number, by = 'ann'): SpeechEntry => ({
  ...{ type: 'recording', episode: 'e', by, at: time(at), hash: hash.repeat(64), durationMs },
});

test('a turn has what its person said since the turn before', () => {
  const episode = played(turnAt(0, 1_000), { ...aTurn(1) }, turnAt(2, 3_000), turnAt(3, 3_050));
  const entries = [recording('b', 2_200, 900), recording('a', 500, 1_500), recording('c', 0, 9_000, 'ben')];
  expect(spokenTurns(episode, entries).map(({ turn, clips }) => [turn, clips])).toEqual([
    [0, [{ hash: 'a'.repeat(64), fromMs: 0, toMs: 500 }]],
    [
      2,
      [
        { hash: 'a'.repeat(64), fromMs: 500, toMs: 1_500 },
        { hash: 'b'.repeat(64), fromMs: 0, toMs: 800 },
      ],
    ],
  ]);
});

test('no moment of a recording is at two turns, and none is outside of it', () => {
  const gaps = fc.array(fc.nat(2_000), { minLength: 1, maxLength: 12 });
  const spans = fc.array(
    fc.record({ startMs: fc.integer({ min: -3_000, max: 12_000 }), ms: fc.integer({ min: 1, max: 9_000 }) }),
    {
      maxLength: 4,
    },
  );
  fc.assert(
    fc.property(gaps, spans, (steps, recorded) => {
      let ms = 0;
      const episode = played(...steps.map((step, index) => turnAt(index, (ms += step))));
      const entries = recorded.map(({ startMs, ms: length }, i) => recording(String(i), startMs, length));
      const clips = spokenTurns(episode, entries).flatMap((each) => each.clips);
      for (const { startMs, ms: length } of recorded) {
        const index = recorded.findIndex((each) => each.startMs === startMs && each.ms === length);
        const hash = String(index).repeat(64);
        const clipsOfIt = clips.filter((clip) => clip.hash === hash);
        for (const [i, { fromMs, toMs }] of clipsOfIt.entries()) {
          expect(fromMs).toBeGreaterThanOrEqual(clipsOfIt[i - 1]?.toMs ?? 0);
          expect(toMs).toBeLessThanOrEqual(length);
          expect(startMs + toMs).toBeLessThanOrEqual(ms);
        }
        // Only what is too short for a word is left out, apart from what follows the last turn.
        const heard = clipsOfIt.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
        expect(heard).toBeGreaterThan(Math.max(0, Math.min(length, ms - startMs)) - 100 * (steps.length + 1));
      }
      EpisodeSchema.parse(withSpeech(episode, entries));
    }),
  );
});

const transcriptOf = (transcript: string, change: Partial<SpeechEntry> = {}): SpeechEntry => ({
  ...{
    type: 'transcript',
    episode: 'e',
    turn: 0,
    turnAt: time(1_000),
    at: time(9_000),
    model: 'whisper-1',
    transcript,
  },
  clips: [{ hash: 'a'.repeat(64), fromMs: 0, toMs: 500 }],
  ...(change as object),
});
const wrote = (text: string): SpeechEntry => ({
  ...{ type: 'wording', episode: 'e', turn: 0, turnAt: time(1_000), at: time(9_000), by: 'ann', text },
});
const spoken = recording('a', 500, 500);
const audio = { hash: 'a'.repeat(64), fromMs: 0, toMs: 500 };

test.each<[string, Partial<Turn>, SpeechEntry[], Partial<Turn>]>([
  [
    'the transcript',
    {},
    [transcriptOf('Save it.')],
    { thought: 'Save it.', edited: { thought: '' }, audio: { ...audio, transcript: 'Save it.' } },
  ],
  [
    'an edited text, beside the transcript',
    {},
    [transcriptOf('Safe it.'), wrote('Save it.')],
    { thought: 'Save it.', audio: { ...audio, transcript: 'Safe it.' } },
  ],
  ['nothing, if the text is empty', {}, [transcriptOf('Um.'), wrote('')], { audio: { ...audio, transcript: 'Um.' } }],
  ['nothing, if nothing was heard', {}, [transcriptOf('')], { audio: { ...audio, transcript: '' } }],
  ['nothing before it is transcribed', {}, [], { audio }],
  ['nothing of other clips', {}, [transcriptOf('Old.', { clips: [{ ...audio, toMs: 400 }] })], { audio }],
  ['nothing of a turn that was retracted', {}, [transcriptOf('Old.', { turnAt: time(900) })], { audio }],
  [
    "the transcript, with the policy's thought kept",
    { thought: 'I save', text: 'raw', candidates: [{ actions: [], samples: 1, chosen: true, thought: 'I save' }] },
    [transcriptOf('Save it.')],
    { thought: 'Save it.', edited: { thought: 'I save' }, audio: { ...audio, transcript: 'Save it.' } },
  ],
  [
    'what the person had written',
    { thought: 'I save' },
    [transcriptOf('Hm.')],
    { thought: 'I save', audio: { ...audio, transcript: 'Hm.' } },
  ],
])('the thought is %s', (_, before, entries, after) => {
  const episode = played(turnAt(0, 1_000, before));
  const [turn] = withSpeech(episode, [spoken, ...entries]).turns;
  expect(turn).toMatchObject(after);
  expect(turn!.thought).toBe(after.thought);
  expect(turn!.text).toBe(undefined);
  EpisodeSchema.parse(withSpeech(episode, [spoken, ...entries]));
});

test('a lake keeps recordings bit by bit, reads episodes with their speech, and tells what is damaged', async () => {
  const dir = await aFolder();
  const damaged: string[] = [];
  const lake = await Lake.open(dir, { onDamage: ({ file }) => damaged.push(file) });
  onTestFinished(() => lake.close());
  const bytes = new Uint8Array([0x1a, 0x45, 0xdf, 0xa3, 1, 2, 3]);
  const hash = await lake.putAudio(bytes);
  await lake.putAudio(bytes);
  expect(await lake.audio(hash)).toEqual(Buffer.from(bytes));
  await expect(lake.putAudio(bytes, 'b'.repeat(64))).rejects.toMatchObject({ detail: { field: 'hash' } });
  await expect(lake.audio('b'.repeat(64))).rejects.toMatchObject({ code: 'corrupt' });
  await expect(lake.putSpeech({ ...spoken, by: '' } as SpeechEntry)).rejects.toMatchObject({ code: 'bad_input' });

  const episode = await record(lake, played(turnAt(0, 1_000)));
  expect(await allOf(lake)).toEqual([episode]);
  for (const entry of [spoken, transcriptOf('Save it.')]) await lake.putSpeech(entry);
  const reader = await Lake.open(dir);
  onTestFinished(() => reader.close());
  const [read] = await allOf(reader);
  expect(read!.turns[0]).toMatchObject({ thought: 'Save it.', audio: { ...audio, transcript: 'Save it.' } });
  expect(await reader.sample({}, 1, () => 0.5)).toEqual([read]);
  expect(
    (await lake.sql('SELECT type, person, turn, duration_ms, transcript FROM speech ORDER BY recorded_at')).rows,
  ).toEqual([
    ['recording', 'ann', null, 500, null],
    ['transcript', null, 0, null, 'Save it.'],
  ]);
  expect((await reader.check()).damaged).toEqual(
    [
      // No screenshots were put here.
      ...['b', 'a'].map((letter) => expect.objectContaining({ file: expect.stringContaining(letter.repeat(64)) })),
    ].reverse(),
  );

  const [name] = await readdir(join(dir, 'speech'));
  await writeFile(join(dir, 'speech', name!), 'nonsense');
  await writeFile(join(dir, 'audio', hash.slice(0, 2), `${hash}.webm`), 'nonsense');
  const reopened = await Lake.open(dir, { onDamage: ({ file }) => damaged.push(file) });
  onTestFinished(() => reopened.close());
  await allOf(reopened);
  expect(damaged).toEqual([join('speech', name!)]);
  const files = (await reopened.check({ repair: true })).damaged.map(({ file }) => file.split('/')[0]);
  expect(files).toEqual(expect.arrayContaining(['speech', 'audio']));
  const unrepaired = (await reopened.check()).damaged.filter(({ file }) => /^(speech|audio)/.test(file));
  expect(unrepaired).toEqual([]);
});
