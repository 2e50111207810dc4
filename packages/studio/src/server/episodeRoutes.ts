import { type Episode, GyreError } from '@gyre/protocol';
import type { ServerAccess } from '@gyre/sandbox';
import type { FastifyInstance } from 'fastify';
import sharp from 'sharp';
import { z } from 'zod';
import { recordedEpisode, recordedTask } from '../recorded/recordedTask.js';
import { routedEpisodes } from '../runs/routeLinks.js';
import { episodePage, facetsOf, forksOf, rowOf } from './episodeTable.js';
import { asMissing, checked, type Named } from './requests.js';
import type { RunFolders } from './runFolders.js';
import { type EpisodeAnswer, EpisodeQuery, SqlRequest } from './wire.js';

const sqlRows = 1_000;
const thumbnails = [120, 240, 480];

/** Adds routes that read episodes and screenshots from the lakes of runs. */
export function episodeRoutes(
  app: FastifyInstance,
  { access, runs }: { readonly access: ServerAccess; readonly runs: RunFolders },
): void {
  const onRequest = access.may('watch');

  app.get<{ Params: Named }>('/api/runs/:run/facets', { onRequest }, async ({ params }) =>
    facetsOf((await runs.open(params.run)).lake),
  );
  app.get<{ Params: Named }>('/api/runs/:run/running', { onRequest }, async ({ params }) => {
    const { lake } = await runs.open(params.run);
    return (await lake.running()).map((episode) => rowOf(episode, 'running'));
  });
  app.get<{ Params: Named }>('/api/runs/:run/episodes', { onRequest }, async ({ params, query }) => {
    const { lake, directory } = await runs.open(params.run);
    const filter = checked(EpisodeQuery, query);
    const { cycle, origin, verdict, route: to } = filter;
    const ids = cycle === undefined ? undefined : await routedEpisodes(directory, { cycle, origin, verdict, to });
    return episodePage(lake, filter, ids);
  });
  app.post<{ Params: Named }>('/api/runs/:run/sql', { onRequest: access.may('operate') }, async ({ params, body }) =>
    (await runs.open(params.run)).lake.sql(checked(SqlRequest, body).sql, sqlRows),
  );
  app.get<{ Params: Named }>(
    '/api/runs/:run/episodes/:id',
    { onRequest },
    async ({ params }): Promise<EpisodeAnswer> => {
      const { lake } = await runs.open(params.run);
      const live = (await lake.running()).find(({ id }) => id === params.id);
      const episode = live ?? (await recordedEpisode(lake, params.id).catch(asMissing));
      const reason = live ? 'it is still being played' : whyNotReplayable(episode);
      return {
        ...{ episode, running: live !== undefined, forks: await forksOf(lake, params.id) },
        ...(reason !== undefined && { notReplayable: reason }),
      };
    },
  );
  app.get<{ Params: Named; Querystring: { width?: string } }>(
    '/api/runs/:run/screenshots/:id',
    { onRequest },
    async ({ params, query }, reply) => {
      const hash = checked(z.string().regex(/^[0-9a-f]{64}$/, 'it is not a hash'), params.id);
      const { lake } = await runs.open(params.run);
      const png = await lake.screenshot(hash).catch(asMissing);
      const width = thumbnails.find((each) => String(each) === query.width);
      const picture =
        width === undefined ? png : await sharp(png).resize({ width, withoutEnlargement: true }).webp().toBuffer();
      return reply
        .type(width === undefined ? 'image/png' : 'image/webp')
        .header('cache-control', 'private, max-age=31536000, immutable')
        .send(Buffer.from(picture));
    },
  );
}

function whyNotReplayable(episode: Episode): string | undefined {
  try {
    recordedTask(episode);
    return undefined;
  } catch (error) {
    if (error instanceof GyreError) return error.message;
    throw error;
  }
}
