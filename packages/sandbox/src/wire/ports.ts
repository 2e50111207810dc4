import { z } from 'zod';
import { route } from './route.js';
import { SessionParams } from './session.js';

const Port = z.coerce.number().int().min(1).max(65_535);

const PortParams = z.strictObject({ id: z.string(), port: Port, '*': z.string() });

const reading = ['GET', 'HEAD'] as const;
const writing = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const about = 'Passes a request or WebSocket on to a server on the loopback of the session; 502 where none listens';

export const ports = {
  read: route({
    method: reading,
    path: '/v1/sessions/:id/ports/:port/*',
    scope: 'watch',
    summary: `${about}. A token for watch sends a GET without a body only`,
    params: PortParams,
    reply: '*',
  }),
  write: route({
    method: writing,
    path: '/v1/sessions/:id/ports/:port/*',
    scope: 'operate',
    summary: about,
    params: PortParams,
    reply: '*',
  }),
  link: route({
    method: 'POST',
    path: '/v1/sessions/:id/links',
    scope: 'operate',
    summary: 'Makes a link by which anyone who has it reaches a port of the session without a token',
    params: SessionParams,
    body: z.strictObject({ port: Port }),
    reply: z.strictObject({ path: z.string().regex(/^\/v1\/links\//) }),
    status: 201,
  }),
  follow: route({
    method: [...reading, ...writing],
    path: '/v1/links/:id/:port/:secret/*',
    scope: 'open',
    summary: `${about}. The link stands in for a token`,
    params: z.strictObject({ ...PortParams.shape, secret: z.string() }),
    reply: '*',
  }),
};
