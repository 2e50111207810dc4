import type { Routes } from './routes.js';
import { answers, RunReply, RunRequest, SessionParams } from './wire.js';

/** Commands in a session. */
export function shellRoutes({ app, may, of }: Routes): void {
  app.post(
    '/v1/sessions/:id/run',
    {
      onRequest: may('operate'),
      schema: { params: SessionParams, body: RunRequest, response: { 200: RunReply, ...answers } },
    },
    async (request) => {
      const { command, ...rest } = request.body;
      const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
      return of(request).shell.run(command, given);
    },
  );
}
