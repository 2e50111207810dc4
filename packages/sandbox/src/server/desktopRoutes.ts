import { GyreError } from '@gyre/protocol';
import type { Routes } from './routes.js';
import { LaunchRequest, SessionParams } from './wire.js';

/** Programs of a session's desktop, and of a machine elsewhere. */
export function desktopRoutes({ app, may, of }: Routes): void {
  app.post(
    '/v1/sessions/:id/launch',
    { onRequest: may('operate'), schema: { params: SessionParams, body: LaunchRequest } },
    async (request, reply) => {
      const session = of(request);
      const desktop = 'tools' in session ? session.desktop : session.remote;
      if (!desktop)
        throw new GyreError('bad_input', 'the session has no desktop', { field: 'id', fix: 'lease a desktop' });
      await desktop.launch(request.body.program, request.body.args);
      return reply.status(204).send();
    },
  );
}
