import { ControlClient, ControlRequest, ControlVerb, type LiveState, Viewer } from '@gyre/agent';
import { type Episode, GyreError } from '@gyre/protocol';
import { HttpRefusal, type ServerAccess } from '@gyre/sandbox';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { turnWords } from '../actionWords.js';
import { recordedEpisode, recordedTask } from '../recorded/recordedTask.js';
import type { LiveAnswer, LiveCard, LiveStatus, LiveTurn, NextTask } from './liveWire.js';
import { asMissing, checked, type Named } from './requests.js';
import type { RunFolders } from './runFolders.js';

/** All viewers of the wall share one look, in ms: events reach them at once. */
const lookEveryMs = 200;

const Viewing = z.object({ viewer: Viewer.optional() });

export interface LiveTerms {
  readonly access: ServerAccess;
  readonly runs: RunFolders;
  /** Begins the next task for a person to play, and returns its episode. Default: there is none. */
  readonly nextTask?: (() => Promise<NextTask>) | undefined;
  /** Called when a verb has been carried out. */
  readonly onControl: (run: string, id: string) => void;
}

/** Adds routes that show the episodes that are being played, and pass on what people want of them. */
export function liveRoutes(app: FastifyInstance, { access, runs, nextTask, onControl }: LiveTerms): void {
  const onRequest = access.may('watch');
  const clients = new Map<string, ControlClient>();
  const clientOf = async (run: string): Promise<ControlClient> => {
    const { lake } = await runs.open(run);
    const client = clients.get(run) ?? new ControlClient(lake.directory);
    clients.set(run, client);
    return client;
  };

  const cardsOf = async (run: string): Promise<LiveCard[]> => {
    const { lake } = await runs.open(run);
    const client = await clientOf(run);
    const [playing, abandoned, states] = await Promise.all([lake.running(), lake.abandoned(), client.states()]);
    const stateOf = new Map(states.map((state) => [state.id, state]));
    return [
      ...playing.map((episode) => cardOf(run, episode, statusOf(stateOf.get(episode.id)), stateOf.get(episode.id))),
      ...abandoned.map((episode) => cardOf(run, episode, 'killed')),
    ];
  };
  let look: { readonly began: number; readonly cards: Promise<LiveCard[]> } | undefined;
  app.get('/api/live', { onRequest }, () => {
    const now = performance.now();
    if (!look || now - look.began > lookEveryMs) {
      const cards = runs.names().then(async (names) => (await Promise.all(names.map(cardsOf))).flat());
      look = { began: now, cards };
    }
    return look.cards;
  });

  app.get<{ Params: Named }>(
    '/api/runs/:run/live/:id',
    { onRequest },
    async ({ params, query }): Promise<LiveAnswer> => {
      const { run, id } = params;
      const { viewer } = checked(Viewing, query);
      const { lake } = await runs.open(run);
      const has = (episode: Episode): boolean => episode.id === id;
      const [playing, states] = await Promise.all([lake.running(), (await clientOf(run)).states(viewer)]);
      const live = states.find((state) => state.id === id);
      const now = playing.find(has);
      if (now) return answerOf(run, now, statusOf(live), { live });
      const killed = (await lake.abandoned()).find(has);
      if (killed) return answerOf(run, killed, 'killed');
      const episode = await recordedEpisode(lake, id).catch(asMissing);
      const { end, verdict } = episode;
      return answerOf(run, episode, 'ended', { end, verdict, offersNext: nextTask !== undefined });
    },
  );

  app.get<{ Params: Named }>('/api/runs/:run/live/:id/screen', { onRequest }, async ({ params }, reply) => {
    const png = await (await clientOf(params.run)).screen(params.id);
    return reply.type('image/png').header('cache-control', 'no-store').send(png);
  });

  app.post<{ Params: Named & { verb: string } }>(
    '/api/runs/:run/live/:id/:verb',
    { onRequest: access.may('operate') },
    async ({ params, body }) => {
      const verb = checked(ControlVerb, params.verb);
      const { state, done } = await (await clientOf(params.run)).ask(params.id, verb, checked(ControlRequest, body));
      onControl(params.run, params.id);
      return { ...(state && { state }), ...(done !== undefined && { done }) };
    },
  );

  app.post('/api/live/next', { onRequest: access.may('operate') }, async (): Promise<NextTask> => {
    if (nextTask) return nextTask();
    throw new HttpRefusal(404, 'no tasks are offered here', 'play one with `gyre tasks play`');
  });
}

function statusOf(live: LiveState | undefined): LiveStatus {
  if (live?.state === 'taken') return 'person';
  return live?.state === 'paused' ? 'paused' : 'policy';
}

function cardOf(run: string, episode: Episode, status: LiveStatus, live?: LiveState): LiveCard {
  const { id, task, policy, turns, observation, startedAt } = episode;
  const last = turns.at(-1);
  const personTurns = turns.filter(({ by }) => by !== undefined).length;
  const before = turns.at(-2)?.observation ?? observation;
  return {
    ...{ run, id, status, by: live?.by, policy, startedAt },
    ...{ instruction: task.instruction, family: task.family, stepBudget: task.stepBudget },
    ...{ turns: turns.length - personTurns, personTurns },
    last: last ? turnWords(last, before.size).join(', ') : '',
    reward: turns.reduce((sum, { reward }) => sum + reward, 0),
    screenshot: (last?.observation ?? observation).screenshot,
  };
}

function answerOf(
  run: string,
  episode: Episode,
  status: LiveStatus,
  more: Partial<Pick<LiveAnswer, 'live' | 'end' | 'verdict' | 'offersNext'>> = {},
): LiveAnswer {
  const { id, task, policy, purpose, startedAt, observation, turns } = episode;
  const liveTurns = turns.map((turn, index): LiveTurn => {
    const { sample: _, reading: _reading, advice: _advice, text: _text, targets: _targets, ...rest } = turn;
    return { ...rest, words: turnWords(turn, (turns[index - 1]?.observation ?? observation).size) };
  });
  return {
    ...{ run, id, task, policy, purpose, startedAt, observation, status },
    ...{ turns: liveTurns, offersNext: false, moves: !isStepped(episode), ...more },
  };
}

function isStepped(episode: Episode): boolean {
  try {
    recordedTask(episode);
    return true;
  } catch (error) {
    if (error instanceof GyreError) return false;
    throw error;
  }
}
