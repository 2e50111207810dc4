import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Review } from '@gyre/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { aFolder } from './folder.test.fixture.js';
import { Lake } from '../index.js';
import { allOf, anEpisode, aTurn, record, startOf } from './sample.test.fixture.js';

async function open(dir: string): Promise<Lake> {
  const lake = await Lake.open(dir);
  onTestFinished(() => lake.close());
  return lake;
}

const review = (by: string, change: Partial<Review> = {}): Review => ({
  ...{ episode: 'e', by, at: '2026-11-30T19:00:00.000Z', success: true, verdict: 'accept' },
  ...change,
});

test('reviews of many writers are all kept, and are rows of SQL', async () => {
  const dir = await aFolder();
  const lakes = await Promise.all(Array.from({ length: 4 }, () => open(dir)));
  const names = Array.from({ length: 40 }, (_, number) => `person ${number}`);
  await Promise.all(names.map((by, number) => lakes[number % 4]!.putReview(review(by))));
  const reader = await open(dir);
  const sorted = (await reader.reviews()).map(({ by }) => by).sort();
  expect(sorted).toEqual([...names].sort());
  const marked = review('last', {
    success: false,
    verdict: 'return',
    reason: "it's wrong",
    lastGoodTurn: -1,
    turns: [{ turn: 1, mark: { bad: true } }],
  });
  await reader.putReview(marked);
  expect((await reader.sql('SELECT count(*) FROM reviews')).rows).toEqual([[41]]);
  const sql = `SELECT episode_id, reviewed_at, success, verdict, reason, last_good_turn, turns FROM reviews WHERE reviewer = 'last'`;
  expect((await reader.sql(sql)).rows).toEqual([
    ['e', '2026-11-30T19:00:00.000Z', false, 'return', "it's wrong", -1, marked.turns],
  ]);
  expect(await reader.check()).toMatchObject({ damaged: [] });
  expect(await readdir(join(dir, 'reviews'))).toHaveLength(41);
});

test('an invalid review is refused with its field, and a lake without reviews has an empty view', async () => {
  const lake = await open(await aFolder());
  expect((await lake.sql('SELECT * FROM reviews')).columns.map(({ name }) => name)).toEqual([
    ...['episode_id', 'reviewer', 'reviewed_at', 'success', 'verdict', 'reason', 'last_good_turn', 'turns'],
  ]);
  await expect(lake.putReview(review(''))).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'review.by' } });
  expect(await lake.reviews()).toEqual([]);
});

test('a retracted turn is in no episode, and what people did in the others is', async () => {
  const dir = await aFolder();
  const lake = await open(dir);
  const person = {
    ...{ by: 'ann', edited: { thought: '' }, mark: { comment: 'slow' } },
    candidates: [{ actions: [{ type: 'wait' as const }], samples: 3, chosen: true, logprob: -1.5, policyVersion: 2 }],
  };
  const turns = [0, 1].map((index) => ({ ...aTurn(index), ...person }));
  const writer = await lake.begin(startOf(anEpisode('e', 0)));
  await writer.append(turns[0]!);
  await writer.append(aTurn(1));
  await writer.retract(1);
  await expect(writer.retract(2)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'count' } });
  expect((await lake.running())[0]?.turns).toEqual(turns.slice(0, 1));
  expect((await (await open(dir)).running())[0]?.turns).toEqual(turns.slice(0, 1));
  await writer.append(turns[1]!);
  await writer.finish({ state: 'finished' });
  await record(lake, anEpisode('f', 1));
  expect((await allOf(lake, { ids: ['e'] }))[0]?.turns).toEqual(turns);
  const sql = 'SELECT turn, person, candidates, edited, mark FROM turns ORDER BY episode_id, turn';
  const { candidates, by, edited, mark } = person;
  expect((await lake.sql(sql)).rows).toEqual([
    [0, by, candidates, edited, mark],
    [1, by, candidates, edited, mark],
    [0, null, null, null, null],
  ]);
});
