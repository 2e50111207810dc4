import { parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { decodeEpisodes, encodeEpisodes } from './episodeFile.js';
import { anEpisode } from './sample.test.fixture.js';

it('the version of the weights is that of an episode’s own turns, not of those that were copied', async () => {
  const fork = { episode: 'other', turn: 2 };
  const episodes = [anEpisode('a', 3), anEpisode('b', 3, { fork }), anEpisode('c', 2, { fork })];
  const bytes = encodeEpisodes(episodes);
  const rows = await parquetReadObjects({ file: bytes.slice().buffer, columns: ['policy_version'] });
  expect(rows.map((row) => row.policy_version)).toEqual([3n, 5n, null]);
  expect(await decodeEpisodes(bytes)).toEqual(episodes.map((episode) => ({ episode })));
});
