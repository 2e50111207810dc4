import { GyreError } from '@gyre/protocol';
import type { Desktop } from '../desktop/desktop.js';
import type { SandboxSession } from '../sandbox.js';
import type { Routes } from './routes.js';
import { answers, LaunchRequest, SessionParams, WindowList } from './wire.js';

/** Programs and windows of a session's desktop. */
export function desktopRoutes({ app, may, of }: Routes): void {
  app.post(
    '/v1/sessions/:id/launch',
    { onRequest: may('operate'), schema: { params: SessionParams, body: LaunchRequest } },
    async (request, reply) => {
      await desktopOf(of(request)).launch(request.body.program, request.body.args);
      return reply.status(204).send();
    },
  );
  app.get(
    '/v1/sessions/:id/windows',
    { onRequest: may('operate'), schema: { params: SessionParams, response: { 200: WindowList, ...answers } } },
    (request) => desktopOf(of(request)).windows(),
  );
}

function desktopOf({ desktop }: SandboxSession): Desktop {
  if (desktop) return desktop;
  throw new GyreError('bad_input', 'the session has no desktop', { field: 'id', fix: 'lease a desktop' });
}
