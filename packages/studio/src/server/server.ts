import {
  AccessTokens,
  errorReply,
  guardedServer,
  HttpRefusal,
  listen,
  ServerAccess,
  type ServerAccessOptions,
} from '@gyre/sandbox';
import { type Episode, GyreError } from '@gyre/protocol';
import sharp from 'sharp';
import { z } from 'zod';
import { recordedEpisode, recordedTask } from '../recorded/recordedTask.js';
import { episodePage, facetsOf, forksOf, rowOf } from './episodeTable.js';
import { pageFiles } from './pageFiles.js';
import { replayRoutes, type StudioPolicies } from './replayRoutes.js';
import { RunFolders } from './runFolders.js';
import { type EpisodeAnswer, EpisodeQuery, SqlRequest } from './wire.js';

export interface StudioOptions extends Omit<ServerAccessOptions, 'anonymous'> {
  /** Folders of runs, or folders that contain them. */
  readonly runs: readonly string[];
  readonly policies: StudioPolicies;
  /** Default: 0, any free port. */
  readonly port?: number;
}

export interface StudioServer {
  /** With the token behind `#`, which browsers never send. */
  readonly link: string;
  readonly url: string;
  close(): Promise<void>;
}

const bodyLimit = 2 ** 16;
const sqlRows = 1_000;
const thumbnails = [120, 240, 480];

interface Named {
  run: string;
  id: string;
}

/**
 * Serves the studio: a page with the episodes of runs, live or ended. Everything but the page's own files needs the token.
 *
 * @throws GyreError `bad_input` for malformed options; `infra` if it cannot listen at the port
 */
export async function serveStudio(options: StudioOptions): Promise<StudioServer> {
  const { host = '127.0.0.1', port = 0, policies } = options;
  const { access, token } = accessOf(options);
  const damaged = new Map<string, string[]>();
  const runs = new RunFolders(options.runs, (run, { file, reason }) => {
    const list = damaged.get(run) ?? [];
    damaged.set(run, [...new Set([...list, `${file}: ${reason}`])].slice(0, 50));
  });
  const app = guardedServer(access, { bodyLimit });
  app.setErrorHandler((error, _, reply) => {
    const { status, body } = errorReply(error);
    return reply.status(status).send(body);
  });
  const onRequest = access.may('watch');

  pageFiles(app, access);
  app.get('/health', { onRequest: access.open }, () => ({ status: 'healthy' }));
  app.get('/api/runs', { onRequest }, () => runs.list());
  app.get<{ Params: Named }>('/api/runs/:run/damage', { onRequest }, ({ params }) => damaged.get(params.run) ?? []);
  app.get<{ Params: Named }>('/api/runs/:run/facets', { onRequest }, async ({ params }) =>
    facetsOf((await runs.open(params.run)).lake),
  );
  app.get<{ Params: Named }>('/api/runs/:run/running', { onRequest }, async ({ params }) => {
    const { lake } = await runs.open(params.run);
    return (await lake.running()).map((episode) => rowOf(episode, 'running'));
  });
  app.get<{ Params: Named }>('/api/runs/:run/episodes', { onRequest }, async ({ params, query }) =>
    episodePage((await runs.open(params.run)).lake, checked(EpisodeQuery, query)),
  );
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
        width === undefined ? png : await sharp(png).resize({ width, withoutEnlargement: true }).png().toBuffer();
      return reply
        .type('image/png')
        .header('cache-control', 'private, max-age=31536000, immutable')
        .send(Buffer.from(picture));
    },
  );
  const closeReplays = replayRoutes(app, { access, runs, policies });

  const url = await listen(app, { host, port });
  return {
    url,
    link: `${url}/#token=${token}`,
    async close() {
      await closeReplays();
      await app.close();
      await runs.close();
    },
  };
}

/** Without a token, generates one; a host that others reach needs a token that they know beforehand. */
function accessOf(options: ServerAccessOptions): { readonly access: ServerAccess; readonly token: string } {
  const access = new ServerAccess(options);
  const [known] = options.tokens ?? [];
  if (known) return { access, token: known.token };
  const token = AccessTokens.random();
  return { access: new ServerAccess({ ...options, tokens: [{ token, scope: 'operate' }] }), token };
}

function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const field = issue?.path.join('.') || 'request';
  throw new GyreError('bad_input', `${field}: ${issue?.message}`, { field, fix: 'correct it in the request' });
}

function asMissing(error: unknown): never {
  if (!(error instanceof GyreError) || (error.code !== 'bad_input' && error.code !== 'corrupt')) throw error;
  throw new HttpRefusal(404, error.message, 'choose another in the table of episodes');
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
