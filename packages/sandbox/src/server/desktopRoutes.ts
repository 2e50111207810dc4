import { GyreError } from '@gyre/protocol';
import type { Routes } from './routes.js';
import { answers, LaunchRequest, SessionParams, WindowList } from './wire.js';

/** Programs and windows of a session's desktop, and programs of a machine elsewhere. */
export function desktopRoutes({ app, may, of }: Routes): void {
  app.post(
    '/v1/sessions/:id/launch',
    { onRequest: may('operate'), schema: { params: SessionParams, body: LaunchRequest } },
    async (request, reply) => {
      const session = of(request);
      const desktop = 'tools' in session ? session.desktop : session.remote;
      if (!desktop) throw noDesktop();
      await desktop.launch(request.body.program, request.body.args);
      return reply.status(204).send();
    },
  );
  app.get(
    '/v1/sessions/:id/windows',
    { onRequest: may('operate'), schema: { params: SessionParams, response: { 200: WindowList, ...answers } } },
    (request) => {
      const session = of(request);
      if (!('tools' in session) || !session.desktop) throw noDesktop();
      return session.desktop.windows();
    },
  );
}

function noDesktop(): GyreError {
  return new GyreError('bad_input', 'the session has no desktop', { field: 'id', fix: 'lease a desktop' });
}
