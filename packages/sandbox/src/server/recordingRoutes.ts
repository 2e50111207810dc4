import { createReadStream, existsSync } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import { recordings as routes } from '../wire/recordings.js';
import { HttpRefusal } from './failures.js';
import { type StoredRecording, recordingInfo, Recordings } from './recordings.js';
import type { RouteContext, SessionRequest } from './routeContext.js';

/**
 * Videos outlive their sessions.
 *
 * @param maxBytes of all videos.
 */
export function recordingRoutes({ app, serve, session, bearer }: RouteContext, maxBytes?: number): void {
  const recordings = new Recordings(maxBytes);
  app.addHook('onClose', () => recordings.close());

  const ownOf = (request: SessionRequest): StoredRecording[] => {
    const asker = bearer(request);
    return recordings
      .ofSession(request.params.id)
      .filter(({ owner }) => asker?.scope === 'admin' || owner === asker?.name);
  };
  const recordingIn = (request: FastifyRequest<{ Params: { id: string; recording: string } }>): StoredRecording => {
    const recording = ownOf(request).find(({ id }) => id === request.params.recording);
    if (!recording)
      throw new HttpRefusal(
        404,
        `there is no recording ${request.params.recording} for this token`,
        'start a recording',
      );
    return recording;
  };

  serve(routes.begin, async (request) =>
    recordingInfo(await recordings.begin(session(request), bearer(request)?.name ?? '', request.body)),
  );
  serve(routes.list, (request) => Promise.all(ownOf(request).map(recordingInfo)));
  serve(routes.stop, async (request) => {
    const stored = recordingIn(request);
    await stored.recording.stop();
    return recordingInfo(stored);
  });
  serve(routes.download, (request, reply) => {
    const { id, format, recording } = recordingIn(request);
    if (!existsSync(recording.path))
      throw new HttpRefusal(404, `the recording ${id} is not written yet`, 'stop it first');
    return reply
      .type(`video/${format}`)
      .header('content-disposition', `attachment; filename="${id}.${format}"`)
      .send(createReadStream(recording.path));
  });
  serve(routes.remove, (request) => recordings.remove(recordingIn(request)));
}
