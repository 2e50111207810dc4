import type { Oracle, Policy, TaskSessions } from '@gyre/agent';
import { type Episode, GyreError } from '@gyre/protocol';
import { errorReply, type ServerAccess } from '@gyre/sandbox';
import { openTask } from '@gyre/tasks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { forkEpisode } from '../recorded/forkEpisode.js';
import { recordedEpisode, recordedTask } from '../recorded/recordedTask.js';
import { replayEpisode } from '../recorded/replayEpisode.js';
import { rowOf } from './episodeTable.js';
import { checked, headersOf, type Named } from './requests.js';
import type { RunFolders } from './runFolders.js';
import { type ForkLine, ForkRequest, type VerifyLine } from './wire.js';

/** A policy that can continue a fork. */
export interface StudioPolicy {
  readonly policy: Policy | Oracle;
  readonly screenshots: number;
  close(): Promise<void>;
}

export interface StudioPolicies {
  /** Names that a fork may choose, the default first. */
  names(): Promise<readonly string[]>;
  /** @throws GyreError `bad_input` for another name */
  open(name: string): Promise<StudioPolicy>;
  /** Returns the last checkpoint of a run and its time (ISO 8601); undefined if it has none. */
  newest?(directory: string): Promise<{ readonly name: string; readonly time: string } | undefined>;
}

/** Shared by routes that play recorded tasks again. */
export interface ReplayTerms {
  readonly access: ServerAccess;
  readonly runs: RunFolders;
  readonly policies: StudioPolicies;
  readonly machines: () => TaskSessions;
}

const sessions = 4;

/** Adds routes that repeat an episode and continue it from a turn. Returns a function that stops them. */
export function replayRoutes(app: FastifyInstance, { access, runs, policies, machines }: ReplayTerms): () => void {
  const ended = new AbortController();
  const onRequest = access.may('operate');

  app.get('/api/policies', { onRequest: access.may('watch') }, () => policies.names());

  app.post<{ Params: Named }>('/api/runs/:run/episodes/:id/verify', { onRequest }, async (request, reply) => {
    const { lake } = await runs.open(request.params.run);
    const episode = await recordedEpisode(lake, request.params.id);
    const environment = openTask(recordedTask(episode), machines());
    return streamed(request, reply, ended.signal, async (write: (line: VerifyLine) => void, signal: AbortSignal) => {
      try {
        const onFrame: Parameters<typeof replayEpisode>[2]['onFrame'] = (turn, same, frame) =>
          write({
            ...{ frame: turn?.index ?? -1, same },
            ...(!same && { png: Buffer.from(frame.png).toString('base64') }),
          });
        write({ result: await replayEpisode(episode, environment, { signal, onFrame }) });
      } finally {
        await environment.close();
      }
    });
  });

  app.post<{ Params: Named }>('/api/runs/:run/episodes/:id/fork', { onRequest }, async (request, reply) => {
    const { lake } = await runs.open(request.params.run);
    const { policy: name, ...terms } = checked(ForkRequest, request.body ?? {});
    const live = (await lake.running()).find(({ id }) => id === request.params.id);
    const from = live ?? (await recordedEpisode(lake, request.params.id));
    expectTurn(from, terms.turn);
    recordedTask(from);
    const opened = await policies.open(name);
    return streamed(request, reply, ended.signal, async (write: (line: ForkLine) => void, signal: AbortSignal) => {
      try {
        const { policy, screenshots } = opened;
        const forks = forkEpisode(from, { ...terms, lake, pool: machines(), policy, screenshots, sessions, signal });
        for await (const episode of forks) write({ episode: rowOf(episode) });
      } finally {
        await opened.close();
      }
    });
  });

  return () => ended.abort();
}

function expectTurn({ turns }: Episode, turn: number): void {
  if (turn <= turns.length) return;
  throw new GyreError('bad_input', `the episode has ${turns.length} turns, so ${turn} cannot be kept`, {
    field: 'turn',
    fix: `keep at most ${turns.length}`,
  });
}

/** Answers with a JSON line for each write. An error after the first line is the last line. */
async function streamed(
  request: FastifyRequest,
  reply: FastifyReply,
  ended: AbortSignal,
  work: (write: (line: object) => void, signal: AbortSignal) => Promise<void>,
): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { ...headersOf(reply), 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  const write = (line: object): void => {
    if (!raw.destroyed) raw.write(`${JSON.stringify(line)}\n`);
  };
  try {
    await work(write, AbortSignal.any([gone.signal, ended]));
  } catch (error) {
    request.log.error(error);
    write(errorReply(error).body);
  }
  raw.end();
  return reply;
}
