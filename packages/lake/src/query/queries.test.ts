import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aFolder } from '../store/folder.test.fixture.js';
import { Lake } from '../index.js';
import { aTurn, anEpisode, record } from '../store/sample.test.fixture.js';

async function aLake(): Promise<{ lake: Lake; dir: string }> {
  const dir = await aFolder();
  const lake = await Lake.open(dir, { batch: 2, onDamage: () => undefined });
  onTestFinished(() => lake.close());
  return { lake, dir };
}

async function inventory(dir: string): Promise<string[]> {
  const names = await readdir(dir, { recursive: true });
  const valuesOf = async (name: string) => {
    const { size, mtimeMs } = await stat(join(dir, name));
    return `${name} ${size} ${mtimeMs}`;
  };
  return Promise.all(names.sort().map(valuesOf));
}

describe('SQL over a lake', () => {
  it('sees episodes, their turns with the screen before each, and screenshots', async () => {
    const { lake } = await aLake();
    const [first, second] = [await lake.putScreenshot(Buffer.from('1')), await lake.putScreenshot(Buffer.from('22'))];
    const show = (screenshot: string) => ({ screenshot, size: { width: 640, height: 480 } });
    const turns = [first, second].map((screenshot, i) => ({ ...aTurn(i), observation: show(screenshot) }));
    await record(lake, anEpisode('a', 0, { observation: show(first), turns }));
    await record(lake, anEpisode('b', 0));
    const { columns, rows } = await lake.sql(
      'SELECT turn, thought, actions, tokens, logprobs, policy_version, screenshot, screenshot_after, reward, success FROM turns',
    );
    expect(columns.map(({ type }) => type).join()).toBe(
      'INTEGER,VARCHAR,VARCHAR,UINTEGER[],DOUBLE[],BIGINT,VARCHAR,VARCHAR,DOUBLE,BOOLEAN',
    );
    const { thought, actions, sample, reward } = turns[1]!;
    const stored = thought!.replace('\ud83d', '\ufffd');
    const { tokens, logprobs, policyVersion } = sample!;
    expect(rows[1]).toEqual([1, stored, actions, tokens, logprobs, policyVersion, first, second, reward, true]);
    const [episode] = (
      await lake.sql("SELECT evidence, width, turn_count, started_at FROM episodes WHERE episode_id = 'b'")
    ).rows;
    expect(episode).toEqual([anEpisode('', 0).verdict!.evidence, 640, 0, '2026-11-20T10:00:00.123Z']);
    expect((await lake.sql('SELECT bytes FROM screenshots ORDER BY ALL')).rows).toEqual([[1], [2]]);
  });

  it('sees what was finished a moment ago, and of rows with one id the one that counts', async () => {
    const { lake, dir } = await aLake();
    const ask = async () => (await lake.sql('SELECT episode_id, turn_count, state FROM episodes ORDER BY 1')).rows;
    expect(await ask()).toEqual([]);
    expect((await lake.sql('SELECT * FROM turns')).rows).toEqual([]);
    await record(lake, anEpisode('a', 1, { end: { state: 'cut' }, verdict: undefined }));
    expect(await ask()).toEqual([['a', 1, 'cut']]);
    await record(lake, anEpisode('a', 2));
    await record(lake, anEpisode("b'", 3));
    expect(await ask()).toEqual([
      ['a', 2, 'finished'],
      ["b'", 3, 'finished'],
    ]);
    const names = (await readdir(join(dir, 'episodes'))).sort();
    const path = join(dir, 'episodes', names.at(-1)!);
    await writeFile(path, (await readFile(path)).subarray(9));
    const next = await Lake.open(dir, { onDamage: () => undefined });
    expect((await next.sql('SELECT episode_id FROM episodes')).rows).toEqual([['a']]);
    await next.close();
  });

  it('gives as many rows as are asked for, and says that there are more', async () => {
    const { lake } = await aLake();
    const { rows, more } = await lake.sql('SELECT range FROM range(5000)', 3);
    expect([rows, more]).toEqual([[[0], [1], [2]], true]);
    expect(await lake.sql('SELECT 1 AS a, 2 AS a', 1)).toMatchObject({
      columns: [{ name: 'a' }, { name: 'a:1' }],
      rows: [[1, 2]],
      more: false,
    });
    expect(
      (await lake.sql("SELECT 9007199254740993, NULL, {a: [1::BIGINT]}, DATE '2026-01-02', 'ab'::BLOB")).rows,
    ).toEqual([['9007199254740993', null, { a: [1] }, '2026-01-02T00:00:00.000Z', '6162']]);
  });

  it.each([
    ['SELEC 1', /syntax error at or near "SELEC"/],
    ['SELECT familie FROM episodes', /"familie" not found .*family/],
    ['SELECT * FROM episode', /episode does not exist! Did you mean "episodes"/],
    ['', /not a single SELECT/],
    ['SELECT 1; SELECT 2', /not a single SELECT/],
    ['CREATE TABLE a (b INT)', /not a single SELECT/],
    ['DROP VIEW episodes', /not a single SELECT/],
    ['SET enable_external_access = true', /not a single SELECT/],
    ['INSTALL httpfs', /not a single SELECT/],
    ["ATTACH 'LAKE/episodes/x.db'", /not a single SELECT/],
    ["COPY (SELECT 1) TO 'LAKE/episodes/x.parquet'", /not a single SELECT/],
    ["EXPLAIN ANALYZE COPY (SELECT 1) TO 'LAKE/episodes/x.parquet'", /not a single SELECT/],
    ["SELECT * FROM read_text('OUTSIDE')", /Permission Error/],
    ["SELECT * FROM read_text('LAKE/blobs/../../OUTSIDE')", /Permission Error/],
    ["SELECT * FROM read_text('LAKE/README.md')", /Permission Error/],
    ["SELECT * FROM glob('/*')", /Permission Error/],
    ["SELECT * FROM 'OUTSIDE'", /Permission Error/],
    ["SELECT * FROM read_csv('https://example.org/a.csv')", /Missing Extension|Permission Error/i],
    ["SELECT * FROM query('COPY (SELECT 1) TO ''LAKE/episodes/x''')", /single SELECT/],
    ["SELECT 1/0::INT, error('no')", /no/],
  ])('refuses %s', async (statement, reason) => {
    const { lake, dir } = await aLake();
    const outside = join(tmpdir(), 'gyre-lake-outside.csv');
    await writeFile(outside, 'secret');
    await record(lake, anEpisode('a', 1));
    await lake.sql('SELECT 1');
    const before = await inventory(dir);
    const answer = lake.sql(statement.replaceAll('LAKE', dir).replaceAll('OUTSIDE', outside));
    await expect(answer).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'sql' } });
    await expect(answer).rejects.toThrow(reason);
    expect(await inventory(dir)).toEqual(before);
    expect((await lake.sql('SELECT count(*) FROM episodes')).rows).toEqual([[1]]);
  });
});
