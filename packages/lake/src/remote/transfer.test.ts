import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordPlayed } from '../exchange/exchange.test.fixture.js';
import { aFolder } from '../store/folder.test.fixture.js';
import { FolderStore, Lake, S3Store } from '../index.js';
import { allOf } from '../store/sample.test.fixture.js';
import { S3Double, credentials } from './double/s3Double.test.fixture.js';

const click = [[{ type: 'click' as const, point: { x: 0.5, y: 0.5 } }], [{ type: 'finished' as const }]];

async function aLake(): Promise<Lake> {
  const lake = await Lake.open(await aFolder());
  return lake;
}

const storeOf = ({ endpoint }: S3Double, url = 's3://lakes/runs/first') => new S3Store({ url, endpoint, credentials });

test('what one lake has pushed another pulls, each file once', async () => {
  const double = await S3Double.start();
  const [first, second, third] = [await aLake(), await aLake(), await aLake()];
  await recordPlayed(first, 'a', click);
  await recordPlayed(first, 'b', click, { policy: 'random' });
  expect(await first.push(storeOf(double))).toMatchObject({ episodeFiles: 1, screenshots: 3, known: 0, damaged: [] });
  expect([...double.objects.keys()].every((key) => key.startsWith('runs/first/'))).toBe(true);
  // Screenshots precede their episodes.
  const puts = double.requests.filter((request) => request.startsWith('PUT'));
  expect(puts.at(-1)).toContain('episodes/');

  await recordPlayed(second, 'c', [...click, [{ type: 'wait' }]]);
  expect(await second.push(storeOf(double))).toMatchObject({ episodeFiles: 1, screenshots: 1, known: 3 });
  const before = double.requests.length;
  expect(await first.push(storeOf(double))).toMatchObject({ episodeFiles: 0, screenshots: 0, known: 4, bytes: 0 });
  expect(double.requests.slice(before).some((request) => request.startsWith('PUT'))).toBe(false);

  const progress: [number, number][] = [];
  const pulled = await third.pull(storeOf(double), { onFile: (done, of) => progress.push([done, of]) });
  expect(pulled).toMatchObject({ episodeFiles: 2, screenshots: 4, known: 0, damaged: [] });
  expect(progress.at(-1)).toEqual([6, 6]);
  const played = [...(await allOf(first)), ...(await allOf(second))];
  expect((await allOf(third)).sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(played);
  expect(await third.check()).toMatchObject({ episodes: 3, damaged: [] });
  expect(await third.pull(storeOf(double))).toMatchObject({ episodeFiles: 0, screenshots: 0, known: 6, bytes: 0 });
  await first.pull(storeOf(double));
  expect((await allOf(first)).map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']);
  await Promise.all([first, second, third].map((lake) => lake.close()));
});

test('what is not what its name says goes neither there nor here', async () => {
  const double = await S3Double.start();
  const dir = await aFolder();
  const lake = await Lake.open(dir);
  const { observation, turns } = await recordPlayed(lake, 'a', click);
  const path = (hash: string) => join(dir, 'blobs', hash.slice(0, 2), `${hash}.png`);
  await writeFile(path(observation.screenshot), 'other');
  expect(await lake.push(storeOf(double))).toMatchObject({
    ...{ episodeFiles: 1, screenshots: 2 },
    damaged: [{ file: `blobs/${observation.screenshot.slice(0, 2)}/${observation.screenshot}.png` }],
  });
  const [episodes = ''] = [...double.objects.keys()].filter((key) => key.includes('/episodes/'));
  const whole = double.objects.get(episodes)!;
  double.objects.set(episodes, Buffer.concat([whole.subarray(0, -1), Buffer.from([whole.at(-1)! ^ 1])]));
  double.objects.set('runs/first/episodes/../../../escaped.parquet', whole);
  const last = turns.at(-1)!.observation.screenshot;
  double.objects.set(`runs/first/blobs/${last.slice(0, 2)}/${last}.png`, Buffer.from('other'));
  const source = await aLake();
  const { damaged, episodeFiles, screenshots } = await source.pull(storeOf(double));
  expect({ episodeFiles, screenshots }).toEqual({ episodeFiles: 0, screenshots: 1 });
  expect(damaged).toHaveLength(3);
  expect(await allOf(source)).toEqual([]);
  await Promise.all([lake.close(), source.close()]);
});

test('retries a service that fails, reports one that stays down, and the next push resumes', async () => {
  const double = await S3Double.start();
  const lake = await aLake();
  await recordPlayed(lake, 'a', click);
  double.failures.push({ status: 503, code: 'ServiceUnavailable' }, { status: 500, code: 'InternalError' });
  expect(await lake.push(storeOf(double), { concurrency: 1 })).toMatchObject({ episodeFiles: 1, screenshots: 3 });

  await recordPlayed(lake, 'b', [...click, [{ type: 'wait' }], [{ type: 'wait' }]]);
  const away = Array.from({ length: 5 }, () => ({ status: 500, code: 'InternalError' }));
  const push = lake.push(storeOf(double), {
    concurrency: 1,
    onFile: () => {
      if (double.objects.size === 5) double.failures.push(...away.splice(0));
    },
  });
  await expect(push).rejects.toMatchObject({ code: 'infra', detail: { field: 'endpoint' } });
  expect(await lake.push(storeOf(double))).toMatchObject({ episodeFiles: 1, screenshots: 1, known: 5 });
  await lake.close();
});

test('an aborted push has copied only whole files', async () => {
  const double = await S3Double.start();
  const lake = await aLake();
  await recordPlayed(lake, 'a', click);
  const stop = new AbortController();
  const push = lake.push(storeOf(double), { concurrency: 1, signal: stop.signal, onFile: () => stop.abort() });
  await expect(push).rejects.toThrow();
  expect(double.objects.size).toBe(1);
  await lake.close();
});

test('bad addresses, buckets and keys are told apart', async () => {
  const { endpoint } = await S3Double.start();
  const listed = async (options: { url?: string; endpoint?: string; accessKeyId?: string }) => {
    const { url = 's3://lakes', accessKeyId = credentials.accessKeyId } = options;
    const store = new S3Store({
      ...{ url, endpoint: options.endpoint ?? endpoint },
      credentials: { ...credentials, accessKeyId },
    });
    for await (const _ of store.list('')) break;
  };
  await listed({});
  const field = (name: string, code = 'bad_input') => ({
    code,
    detail: { field: name, fix: expect.any(String) as string },
  });
  for (const url of ['lakes', 's3://', 's3://A', 'http://lakes/x'])
    await expect(listed({ url })).rejects.toMatchObject(field('url'));
  await expect(listed({ url: 's3://other' })).rejects.toMatchObject(field('url'));
  await expect(listed({ accessKeyId: 'WRONG' })).rejects.toMatchObject(field('AWS_ACCESS_KEY_ID'));
  await expect(listed({ endpoint: 'http://127.0.0.1:9' })).rejects.toMatchObject(field('endpoint', 'infra'));
  await expect(new S3Store({ url: 's3://lakes', endpoint, credentials }).get('blobs/none')).rejects.toMatchObject(
    field('blobs/none', 'corrupt'),
  );
});

test('a folder or another lake can be a store', async () => {
  const [dir, shared] = [await aFolder(), join(await aFolder(), 'shared')];
  const lake = await Lake.open(dir);
  await recordPlayed(lake, 'a', click);
  await mkdir(shared);
  expect(await lake.push(new FolderStore(shared))).toMatchObject({ episodeFiles: 1, screenshots: 3, known: 0 });
  expect(await lake.push(new FolderStore(shared))).toMatchObject({ episodeFiles: 0, screenshots: 0, known: 4 });
  for (const from of [shared, dir]) {
    const source = await aLake();
    expect(await source.pull(new FolderStore(from))).toMatchObject({ episodeFiles: 1, screenshots: 3, damaged: [] });
    expect(await allOf(source)).toEqual(await allOf(lake));
    expect((await source.check()).damaged).toEqual([]);
    await source.close();
  }
  const nowhere = new FolderStore(join(shared, 'none'));
  await expect(lake.push(nowhere)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'store' } });
  await expect(nowhere.put('a/../../b', Buffer.from(''))).rejects.toMatchObject({ code: 'bad_input' });
  await expect(new FolderStore(shared).get('none')).rejects.toMatchObject({ code: 'corrupt' });
  await lake.close();
});
