import type { FastifyRequest } from 'fastify';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import type { DeviceKind } from '../lease/kind.js';
import type { Phone } from '../phone/phone.js';
import type { Remote } from '../foreign/driven/remote.js';
import { PhoneAppInfo, PhoneAppRequest, PhoneCurrent, PhoneTree, RemoteTree } from './deviceWire.js';
import type { OfSession, Routes } from './routes.js';
import { answers, SessionParams } from './wire.js';

/** What only phones and machines elsewhere have. Their screen, shell and files are those of every session. */
export function deviceRoutes({ app, may, of }: Routes): void {
  const onRequest = may('operate');
  const one = { params: SessionParams };
  const phoneIn = (request: FastifyRequest): Phone => {
    const session = of(request as OfSession);
    if ('phone' in session && session.phone) return session.phone;
    throw otherKind('phone');
  };
  const remoteIn = (request: FastifyRequest): Remote => {
    const session = of(request as OfSession);
    if ('remote' in session && session.remote) return session.remote;
    throw otherKind('remote');
  };

  app.get(
    '/v1/sessions/:id/phone/tree',
    { onRequest, schema: { ...one, response: { 200: PhoneTree, ...answers } } },
    async (request) => (await phoneIn(request).tree()).map((node) => ({ ...node, children: [...node.children] })),
  );
  app.get(
    '/v1/sessions/:id/phone/apps',
    { onRequest, schema: { ...one, response: { 200: z.array(PhoneAppInfo), ...answers } } },
    (request) => phoneIn(request).apps.list(),
  );
  app.get(
    '/v1/sessions/:id/phone/apps/current',
    { onRequest, schema: { ...one, response: { 200: PhoneCurrent, ...answers } } },
    async (request) => ({ app: await phoneIn(request).apps.current() }),
  );
  for (const method of ['launch', 'stop'] as const) {
    app.post(
      `/v1/sessions/:id/phone/apps/${method}`,
      { onRequest, schema: { ...one, body: PhoneAppRequest } },
      async (request, reply) => {
        await phoneIn(request).apps[method](request.body.name);
        return reply.status(204).send();
      },
    );
  }
  app.get(
    '/v1/sessions/:id/remote/accessibility',
    { onRequest, schema: { ...one, response: { 200: RemoteTree, ...answers } } },
    (request) => remoteIn(request).accessibility(),
  );
}

const otherKind = (kind: DeviceKind): GyreError =>
  new GyreError('bad_input', `the session is no ${kind}`, { field: 'id', fix: `lease one of kind ${kind}` });
