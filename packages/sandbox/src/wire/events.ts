import { SessionLogs } from '../events/sessionLog.js';
import { route } from './route.js';
import { SessionParams } from './session.js';

export const events = {
  all: route({
    method: 'GET',
    path: '/v1/events',
    scope: 'admin',
    summary: 'Streams the events of the sandbox',
    reply: 'text/event-stream',
    hidden: true,
  }),
  session: route({
    method: 'GET',
    path: '/v1/sessions/:id/events',
    scope: 'watch',
    summary: 'Streams the events of a session',
    params: SessionParams,
    reply: 'text/event-stream',
    hidden: true,
  }),
  logs: route({
    method: 'GET',
    path: '/v1/sessions/:id/logs',
    scope: 'watch',
    summary: 'Returns the log of a session, also for some time after its end',
    params: SessionParams,
    reply: SessionLogs,
  }),
};
