import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Episode, EpisodeStart } from '@gyre/protocol';
import sharp from 'sharp';
import { expect, test, vi } from 'vitest';
import { aRun, aStudio, scripted } from './studio.test.fixture.js';
import type { EpisodeAnswer, EpisodePage, EpisodeRow, Facets, RunEntry, SqlAnswer } from './wire.js';

type Studio = Awaited<ReturnType<typeof aStudio>>;

async function ask({ url, token }: Studio, path: string, body?: object): Promise<Response> {
  return fetch(url + path, {
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
}
const read = async <T>(studio: Studio, path: string, body?: object): Promise<T> =>
  (await ask(studio, path, body)).json() as Promise<T>;
const lines = async (studio: Studio, path: string, body: object): Promise<Record<string, unknown>[]> =>
  (await (await ask(studio, path, body)).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const startOf = ({ turns: _, end: __, verdict: ___, ...start }: Episode, id: string): EpisodeStart => ({
  ...start,
  id,
});

test('without the token nothing but the page is given, and no other page may ask', async () => {
  const { root, lake } = await aRun([]);
  await lake.close();
  const studio = await aStudio(root);
  const page = await fetch(studio.url);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  for (const path of ['/api/runs', '/api/runs/mine/episodes', '/api/runs/mine/screenshots/x', '/api/policies']) {
    expect((await fetch(studio.url + path)).status, path).toBe(401);
  }
  const foreign = { authorization: `Bearer ${studio.token}`, origin: 'https://elsewhere.example' };
  expect((await fetch(`${studio.url}/api/runs`, { headers: foreign })).status).toBe(403);
  expect(studio.link).toBe(`${studio.url}/#token=${studio.token}`);
});

test('episodes are filtered, sorted, counted and asked for by SQL, which reads nothing but the lake', async () => {
  const { root, lake, episodes } = await aRun(['click/test/7', 'click/test/8', 'tabs/test/1']);
  const [first] = episodes;
  const hostile = { ...startOf(first!, 'hostile'), task: { ...first!.task, instruction: `it's "<img src=x>"; DROP` } };
  await (
    await lake.begin(hostile)
  ).finish({ state: 'out_of_budget' }, { ...first!.verdict!, success: false, score: 0 });
  await lake.close();
  const studio = await aStudio(root);

  const counted = { name: 'mine', episodes: 4, running: 0, trains: false };
  await vi.waitFor(async () => expect(await read<RunEntry[]>(studio, '/api/runs')).toMatchObject([counted]), {
    timeout: 15_000,
  });
  const facets = await read<Facets>(studio, '/api/runs/mine/facets');
  expect(facets.family).toEqual([
    { value: 'click', count: 3 },
    { value: 'tabs', count: 1 },
  ]);
  expect(facets.success).toEqual([
    { value: 'true', count: 3 },
    { value: 'false', count: 1 },
  ]);
  const page = (query: string) => read<EpisodePage>(studio, `/api/runs/mine/episodes?${query}`);
  expect(await page('family=tabs')).toMatchObject({ total: 1, rows: [{ family: 'tabs', success: true }] });
  expect((await page('family=tabs&family=click')).total).toBe(4);
  expect(await page(`text=${encodeURIComponent(`IT'S "<`)}`)).toMatchObject({ total: 1, rows: [{ id: 'hostile' }] });
  expect((await page('success=false&state=out_of_budget')).rows.map(({ id }) => id)).toEqual(['hostile']);
  const bySeed = await page('sort=instruction&order=ascending&limit=2&offset=1');
  expect(bySeed.rows).toHaveLength(2);
  expect(bySeed.total).toBe(4);
  expect(await read(studio, '/api/runs/mine/episodes?limit=0')).toMatchObject({ error: { code: 'bad_input' } });
  expect((await ask(studio, '/api/runs/other/episodes')).status).toBe(404);

  const sql = (statement: string) => read<SqlAnswer>(studio, '/api/runs/mine/sql', { sql: statement });
  expect((await sql('SELECT count(*) AS n FROM turns')).rows[0]![0]).toBeGreaterThan(2);
  for (const attempt of [`SELECT * FROM read_text('/etc/passwd')`, 'DROP VIEW episodes']) {
    expect(await sql(attempt), attempt).toMatchObject({ error: { code: 'bad_input' } });
  }
});

test('an episode is followed while it is played, with its screens', async () => {
  const { root, lake, episodes } = await aRun(['click/test/7']);
  const [played] = episodes;
  const studio = await aStudio(root);
  const writer = await lake.begin(startOf(played!, 'live'));
  const running = () => read<EpisodeRow[]>(studio, '/api/runs/mine/running');
  expect(await running()).toMatchObject([{ id: 'live', state: 'running', turns: 0 }]);
  await writer.append(played!.turns[0]!);
  expect(await running()).toMatchObject([{ id: 'live', turns: 1 }]);
  const answer = await read<EpisodeAnswer>(studio, '/api/runs/mine/episodes/live');
  expect(answer).toMatchObject({ running: true, notReplayable: 'it is still being played' });
  expect(answer.episode.turns).toEqual(played!.turns.slice(0, 1));

  const hash = answer.episode.turns[0]!.observation.screenshot;
  const png = Buffer.from(await (await ask(studio, `/api/runs/mine/screenshots/${hash}`)).arrayBuffer());
  expect(createHash('sha256').update(png).digest('hex')).toBe(hash);
  const small = Buffer.from(await (await ask(studio, `/api/runs/mine/screenshots/${hash}?width=120`)).arrayBuffer());
  expect((await sharp(small).metadata()).width).toBe(120);
  expect((await ask(studio, `/api/runs/mine/screenshots/${'0'.repeat(64)}`)).status).toBe(404);
  expect((await ask(studio, '/api/runs/mine/screenshots/..%2f..%2fetc')).status).toBe(400);
  await writer.finish({ state: 'cut' });
  expect(await running()).toEqual([]);
  await lake.close();
});

test('a repeated episode has the same screens, and one that was altered shows what differs', async () => {
  const { root, lake, episodes } = await aRun(['tabs/test/3']);
  const [played] = episodes;
  const writer = await lake.begin(startOf(played!, 'altered'));
  for (const turn of played!.turns) {
    // The first screen in place of what came.
    await writer.append({ ...turn, observation: played!.observation });
  }
  await writer.finish(played!.end, played!.verdict);
  await lake.close();
  const studio = await aStudio(root);
  const turns = played!.turns.length;

  const same = await lines(studio, `/api/runs/mine/episodes/${played!.id}/verify`, {});
  expect(same.slice(0, -1).map(({ frame, same: isSame }) => [frame, isSame])).toEqual(
    Array.from({ length: turns + 1 }, (_, i) => [i - 1, true]),
  );
  expect(same.at(-1)).toMatchObject({ result: { identical: true, sameVerdict: true } });

  const altered = await lines(studio, '/api/runs/mine/episodes/altered/verify', {});
  expect(altered.at(-1)).toMatchObject({ result: { identical: false, firstDifference: 0 } });
  const seen = Buffer.from(altered[1]!.png as string, 'base64');
  expect(createHash('sha256').update(seen).digest('hex')).toBe(played!.turns[0]!.observation.screenshot);
}, 60_000);

test('policies continue an episode from a turn, and what comes of it is listed with it', async () => {
  const { root, lake, episodes } = await aRun(['tabs/test/3'], scripted.random!());
  await lake.close();
  const studio = await aStudio(root);
  const { id } = episodes[0]!;
  const path = `/api/runs/mine/episodes/${id}`;
  expect(await read(studio, '/api/policies')).toEqual(['oracle', 'random']);
  const forked = await lines(studio, `${path}/fork`, { turn: 1, attempts: 2, policy: 'random' });
  expect(forked).toHaveLength(2);
  for (const line of forked) expect(line).toMatchObject({ episode: { forkOf: id, forkTurn: 1, policy: 'random' } });
  const [solved] = await lines(studio, `${path}/fork`, { turn: 0, policy: 'oracle' });
  expect(solved).toMatchObject({ episode: { forkTurn: 0, success: true } });
  const { forks } = await read<EpisodeAnswer>(studio, path);
  expect(forks.map(({ forkTurn, policy }) => [forkTurn, policy])).toEqual([
    [0, 'oracle'],
    [1, 'random'],
    [1, 'random'],
  ]);
  for (const [body, field] of [
    [{ turn: 999, policy: 'oracle' }, 'turn'],
    [{ turn: 0, policy: 'none' }, 'policy'],
    [{ policy: 'oracle' }, 'turn'],
    [{ turn: 0, policy: 'oracle', attempts: 1000 }, 'attempts'],
  ] as const) {
    const response = await ask(studio, `${path}/fork`, body);
    expect(response.status, field).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'bad_input', field } });
  }
}, 120_000);

test('a damaged file of the lake is named, and the rest is shown', async () => {
  const { root, lake, episodes } = await aRun(['click/test/7']);
  const { end, verdict } = episodes[0]!;
  await (await lake.begin(startOf(episodes[0]!, 'whole'))).finish(end, verdict);
  await lake.close();
  const folder = join(root, 'mine', 'lake', 'episodes');
  const [name] = (await readdir(folder)).sort();
  const bytes = await readFile(join(folder, name!));
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(join(folder, name!), bytes);
  const studio = await aStudio(root);
  expect(await read(studio, '/api/runs/mine/episodes')).toMatchObject({
    ...{ total: 1, rows: [{ id: 'whole' }] },
  });
  const [damage] = await read<string[]>(studio, '/api/runs/mine/damage');
  expect(damage).toMatch(new RegExp(`^episodes/${name!}: `));
});
