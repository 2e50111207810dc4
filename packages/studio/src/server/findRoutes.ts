import type { ServerAccess } from '@gyre/sandbox';
import { suites } from '@gyre/tasks';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { quoted } from './episodeCondition.js';
import { episodePage, rowOf } from './episodeTable.js';
import type { FindAnswer } from './findWire.js';
import { checked } from './requests.js';
import type { RunFolders } from './runFolders.js';
import { EpisodeQuery } from './wire.js';

const FindQuery = z.strictObject({ text: z.string().trim().min(1).max(200) });
const episodesListed = 12;
const familiesListed = 8;

/** Adds `GET /api/find?text=`, which finds episodes and families in all runs. */
export function findRoutes(
  app: FastifyInstance,
  { access, runs }: { readonly access: ServerAccess; readonly runs: RunFolders },
): void {
  app.get('/api/find', { onRequest: access.may('watch') }, async ({ query }): Promise<FindAnswer> => {
    const { text } = checked(FindQuery, query);
    const each = await Promise.all((await runs.names()).map((run) => findIn(runs, run, text)));
    return {
      episodes: each
        .flatMap(({ episodes }) => episodes)
        .sort((a, b) => b.startedAt.localeCompare(a.startedAt))
        .slice(0, episodesListed)
        .map(({ run, id, instruction, family, policy, success, state }) => ({
          ...{ run, id, instruction, family, policy, success, state },
        })),
      families: familiesOf(
        text,
        each.flatMap(({ families }) => families),
      ),
    };
  });
}

async function findIn(runs: RunFolders, run: string, text: string) {
  const { lake } = await runs.open(run);
  const lower = text.toLowerCase();
  const playing = (await lake.running()).filter(
    ({ id, task }) => task.instruction.toLowerCase().includes(lower) || id.startsWith(text) || task.id.startsWith(text),
  );
  const { rows } = await episodePage(lake, EpisodeQuery.parse({ text, limit: episodesListed }));
  const { rows: counts } = await lake.sql(
    `SELECT family, count(*) FROM episodes WHERE contains(lower(family), lower(${quoted(text)})) GROUP BY 1`,
  );
  return {
    episodes: [...playing.map((episode) => rowOf(episode, 'running')), ...rows].map((row) => ({ ...row, run })),
    families: counts.map(([family, episodes]) => ({ family: String(family), run, episodes: Number(episodes) })),
  };
}

type Counts = readonly { readonly family: string; readonly run: string; readonly episodes: number }[];

function familiesOf(text: string, counts: Counts): FindAnswer['families'] {
  const catalogue = new Map(Object.values(suites()).flatMap((suite) => Object.entries(suite)));
  const lower = text.toLowerCase();
  const names = new Set([...counts.map(({ family }) => family), ...catalogue.keys()]);
  const isFirst = (name: string): number => (name.toLowerCase().startsWith(lower) ? 0 : 1);
  const matching = [...names].filter((name) => name.toLowerCase().includes(lower));
  const best = matching.sort((a, b) => isFirst(a) - isFirst(b) || a.length - b.length || a.localeCompare(b));
  return best.slice(0, familiesListed).map((family) => {
    const task = catalogue.get(family)?.create('test', 0).task;
    return {
      family,
      instruction: task?.instruction ?? '',
      ...(task && { task: task.id }),
      runs: counts.filter((each) => each.family === family).map(({ run, episodes }) => ({ run, episodes })),
    };
  });
}
