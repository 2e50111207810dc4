import { createReadStream, existsSync } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Refusal } from './failures.js';
import { Recordings, recordingInfo, type KeptRecording } from './recordings.js';
import type { Routes } from './routes.js';
import { Failure, RecordingInfo, RecordingParams, RecordRequest, SessionParams } from './wire.js';

/**
 * Videos of a session: begin, stop, fetch. They can be fetched also when their session has ended.
 *
 * @param mostBytes of all together.
 */
export function recordingRoutes({ app, may, of, bearer }: Routes, mostBytes?: number): void {
  const recordings = new Recordings(mostBytes);
  app.addHook('onClose', () => recordings.close());

  /** The videos of a session that are the bearer's: that the session is there is not asked for. */
  const ownOf = (request: FastifyRequest<{ Params: { id: string } }>): KeptRecording[] => {
    const asker = bearer(request);
    return recordings.of(request.params.id).filter(({ owner }) => asker?.scope === 'admin' || owner === asker?.name);
  };
  const one = (request: FastifyRequest<{ Params: { id: string; recording: string } }>): KeptRecording => {
    const found = ownOf(request).find(({ id }) => id === request.params.recording);
    if (!found) throw new Refusal(404, `there is no ${request.params.recording} for this token`, 'begin one');
    return found;
  };
  const onRequest = may('operate');
  const answers = { '4xx': Failure, '5xx': Failure };

  app.post(
    '/v1/sessions/:id/recordings',
    { onRequest, schema: { params: SessionParams, body: RecordRequest, response: { 201: RecordingInfo, ...answers } } },
    async (request, reply) => {
      const begun = await recordings.begin(of(request), bearer(request)?.name ?? '', request.body);
      return reply.status(201).send(await recordingInfo(begun));
    },
  );
  app.get(
    '/v1/sessions/:id/recordings',
    { onRequest, schema: { params: SessionParams, response: { 200: z.array(RecordingInfo), ...answers } } },
    (request) => Promise.all(ownOf(request).map(recordingInfo)),
  );
  app.post(
    '/v1/sessions/:id/recordings/:recording/stop',
    { onRequest, schema: { params: RecordingParams, response: { 200: RecordingInfo, ...answers } } },
    async (request) => {
      const found = one(request);
      await found.recording.stop();
      return recordingInfo(found);
    },
  );
  app.get(
    '/v1/sessions/:id/recordings/:recording',
    { onRequest, schema: { params: RecordingParams } },
    async (request, reply) => {
      const { id, format, recording } = one(request);
      if (!existsSync(recording.path)) throw new Refusal(404, `nothing is written of ${id} yet`, 'stop it first');
      return reply
        .type(`video/${format}`)
        .header('content-disposition', `attachment; filename="${id}.${format}"`)
        .send(createReadStream(recording.path));
    },
  );
  app.delete(
    '/v1/sessions/:id/recordings/:recording',
    { onRequest, schema: { params: RecordingParams } },
    async (request, reply) => {
      await recordings.remove(one(request));
      return reply.status(204).send();
    },
  );
}
