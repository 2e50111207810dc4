import { z } from 'zod';
import { route } from './route.js';
import { SessionParams } from './session.js';

export const service = {
  health: route({
    method: 'GET',
    path: '/health',
    scope: 'open',
    summary: 'Reports whether the server takes leases, and how many sessions it has',
    reply: z.strictObject({ ok: z.boolean(), sessions: z.int() }),
  }),
  metrics: route({
    method: 'GET',
    path: '/metrics',
    scope: 'watch',
    summary: 'Returns metrics for Prometheus',
    reply: 'text/plain',
    hidden: true,
  }),
  openapi: route({
    method: 'GET',
    path: '/openapi.json',
    scope: 'watch',
    summary: 'Returns this document',
    reply: '*',
    hidden: true,
  }),
  view: route({
    method: 'GET',
    path: '/v1/sessions/:id/view',
    scope: 'open',
    summary: 'Returns the live view of a session',
    params: SessionParams,
    reply: 'text/html',
    hidden: true,
  }),
};
