import { ContentHash } from '@gyre/protocol';
import { HttpRefusal, type ServerAccess } from '@gyre/sandbox';
import type { FastifyInstance } from 'fastify';
import { recordedEpisode } from '../recorded/recordedTask.js';
import { SpeechDesk } from '../speech/speechDesk.js';
import type { Transcriber } from '../speech/transcriber.js';
import { asMissing, checked, type Named } from './requests.js';
import type { RunFolders } from './runFolders.js';
import {
  ChunkNumber,
  ChunkQuery,
  ClipQuery,
  type ClockAnswer,
  EndRequest,
  RecordingId,
  type SpeechAnswer,
  WordingRequest,
} from './speechWire.js';

/** A chunk is about a second. */
const chunkLimit = 2 ** 20;

export interface SpeechTerms {
  readonly access: ServerAccess;
  readonly runs: RunFolders;
  readonly transcriber?: Transcriber | undefined;
}

/** Adds routes that keep, transcribe and play what people say while they play. Returns a function that stops them. */
export function speechRoutes(app: FastifyInstance, { access, runs, transcriber }: SpeechTerms): () => Promise<void> {
  const desks = new Map<string, Promise<SpeechDesk>>();
  const deskOf = (run: string): Promise<SpeechDesk> => {
    const known = desks.get(run);
    if (known) return known;
    const opening = runs.open(run).then(({ directory, lake }) => new SpeechDesk(directory, lake, transcriber));
    desks.set(run, opening);
    opening.catch(() => desks.delete(run));
    return opening;
  };
  const mayWatch = { onRequest: access.may('watch') };
  const mayAct = { onRequest: access.may('operate') };
  const base = '/api/runs/:run/speech/:id';
  app.addContentTypeParser('audio/webm', { parseAs: 'buffer' }, (_, body, done) => done(null, body));

  app.get('/api/clock', mayWatch, (): ClockAnswer => ({ now: Date.now() }));

  const answerOf = async ({ run, id }: Named): Promise<SpeechAnswer> => ({
    ...(await (await deskOf(run)).speech(id).catch(asMissing)),
    transcriber: transcriber?.model ?? null,
  });
  app.get<{ Params: Named }>(base, mayWatch, ({ params }) => answerOf(params));

  type Chunk = Named & { recording: string; number: string };
  app.post<{ Params: Chunk; Body: Buffer }>(
    `${base}/recordings/:recording/chunks/:number`,
    { ...mayAct, bodyLimit: chunkLimit, config: { access: { accepts: ['audio/webm'] } } },
    async ({ params, query, body }) => {
      const [id, number] = [checked(RecordingId, params.recording), checked(ChunkNumber, params.number)];
      const terms = checked(ChunkQuery, query);
      if (number === 0) await expectEpisode(runs, params);
      await (await deskOf(params.run)).recordings.add(id, number, { ...terms, episode: params.id }, body);
      return {};
    },
  );
  app.post<{ Params: Named & { recording: string } }>(
    `${base}/recordings/:recording/end`,
    mayAct,
    async ({ params, body }) => {
      const desk = await deskOf(params.run);
      const { count } = checked(EndRequest, body);
      const entry = await desk.recordings.end(checked(RecordingId, params.recording), count);
      desk.follow(params.id);
      return entry ?? {};
    },
  );
  app.post<{ Params: Named }>(`${base}/transcribe`, mayAct, async ({ params }) => {
    await (await deskOf(params.run)).transcribe(params.id, { again: true });
    return answerOf(params);
  });
  app.post<{ Params: Named & { turn: string } }>(`${base}/turns/:turn`, mayAct, async ({ params, body }) => {
    const { text, by } = checked(WordingRequest, body);
    await (await deskOf(params.run)).write(params.id, checked(ChunkNumber, params.turn), text, by);
    return answerOf(params);
  });
  app.get<{ Params: { run: string; hash: string } }>(
    '/api/runs/:run/audio/:hash',
    mayWatch,
    async ({ params, query }, reply) => {
      const { fromMs, toMs } = checked(ClipQuery, query);
      const desk = await deskOf(params.run);
      const hash = checked(ContentHash, params.hash);
      const bytes = await desk.clip(hash, toMs === undefined ? undefined : { fromMs, toMs }).catch(asMissing);
      return reply
        .type('audio/webm')
        .header('cache-control', 'private, max-age=31536000, immutable')
        .send(Buffer.from(bytes));
    },
  );

  return async () => {
    const opened = await Promise.allSettled(desks.values());
    await Promise.all(opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value.close()] : [])));
  };
}

async function expectEpisode(runs: RunFolders, { run, id }: Named): Promise<void> {
  const { lake } = await runs.open(run);
  if ((await lake.running()).some((each) => each.id === id)) return;
  await recordedEpisode(lake, id).catch(() => {
    throw new HttpRefusal(404, `there is no episode ${id} in ${run}`, 'record while you play one');
  });
}
