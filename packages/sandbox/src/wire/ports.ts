import { z } from 'zod';
import { route } from './route.js';
import { SessionParams } from './session.js';

const Port = z.coerce.number().int().min(1).max(65_535);

const PortParams = z.strictObject({ id: z.string(), port: Port, '*': z.string() });

const reading = ['GET', 'HEAD'] as const;
const writing = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const about = 'Forwards a request or WebSocket to a server on the loopback of the session; 502 if none listens';

export const ports = {
  read: route({
    method: reading,
    path: '/v1/sessions/:id/ports/:port/*',
    scope: 'watch',
    summary: `${about}. A token for watch allows only GET without a body`,
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
    summary: 'Creates a link that reaches a port of the session without a token',
    params: SessionParams,
    body: z.strictObject({ port: Port }),
    reply: z.strictObject({ path: z.string().regex(/^\/v1\/links\//) }),
    status: 201,
  }),
  follow: route({
    method: [...reading, ...writing],
    path: '/v1/links/:id/:port/:secret/*',
    scope: 'open',
    summary: `${about}. The link replaces the token`,
    params: z.strictObject({ ...PortParams.shape, secret: z.string() }),
    reply: '*',
  }),
};
