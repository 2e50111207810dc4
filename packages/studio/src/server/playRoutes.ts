import { type ControlSocket, openControlSocket } from '@gyre/agent';
import type { Lake } from '@gyre/lake';
import { GyreError, shownText } from '@gyre/protocol';
import { taskOf } from '@gyre/tasks';
import type { FastifyInstance } from 'fastify';
import { beginPlaying, type PlayTerms } from '../recorded/playedEpisode.js';
import { recordedEpisode, recordedTask } from '../recorded/recordedTask.js';
import type { NextTask } from './liveWire.js';
import { PlayFromRequest, PlayRequest } from './playWire.js';
import type { ReplayTerms } from './replayRoutes.js';
import { asMissing, checked, type Named } from './requests.js';

/** Adds routes that begin episodes for people to play in the cockpit. Returns a function that cuts them. */
export function playRoutes(
  app: FastifyInstance,
  { access, runs, machines }: Pick<ReplayTerms, 'access' | 'runs' | 'machines'>,
): () => Promise<void> {
  const ended = new AbortController();
  const playing = new Set<Promise<unknown>>();
  const sockets = new Map<string, Promise<ControlSocket | undefined>>();
  const onRequest = access.may('operate');

  const begin = async (
    run: string,
    lake: Lake,
    instance: Parameters<typeof beginPlaying>[0],
    terms: Pick<PlayTerms, 'player' | 'from'>,
  ): Promise<NextTask> => {
    const opening = sockets.get(run) ?? openControlSocket(lake.directory);
    sockets.set(run, opening);
    const controls = await opening;
    if (!controls) {
      sockets.delete(run);
      throw new GyreError('infra', `cannot make a socket in ${lake.directory}`, {
        ...{ part: 'disk', field: 'run', fix: 'keep the run on a local disk that you may write to' },
      });
    }
    const { signal } = ended;
    const { id, over } = await beginPlaying(instance, { ...terms, lake, controls, machines: machines(), signal });
    const end = over.catch((error: unknown) => app.log.error(error)).finally(() => playing.delete(end));
    playing.add(end);
    return { run, id };
  };

  app.post<{ Params: Named }>(
    '/api/runs/:run/episodes/:id/play',
    { onRequest },
    async ({ params, body }): Promise<NextTask> => {
      const { turn, by } = checked(PlayFromRequest, body);
      const { lake } = await runs.open(params.run);
      const live = (await lake.running()).find(({ id }) => id === params.id);
      const episode = live ?? (await recordedEpisode(lake, params.id).catch(asMissing));
      const instance = { ...recordedTask(episode), task: episode.task };
      return begin(params.run, lake, instance, { player: shownText(by), from: { episode, turn } });
    },
  );

  app.post<{ Params: { run: string } }>(
    '/api/runs/:run/play',
    { onRequest },
    async ({ params, body }): Promise<NextTask> => {
      const { task, by } = checked(PlayRequest, body);
      const { lake } = await runs.open(params.run);
      const instance = taskOf(task);
      // Only pages: a desktop needs the isolation that `gyre tasks play` chooses.
      recordedTask({ task: instance.task });
      return begin(params.run, lake, instance, { player: shownText(by) });
    },
  );

  return async () => {
    ended.abort();
    await Promise.all(playing);
    for (const socket of await Promise.all(sockets.values())) await socket?.close();
  };
}
