import { z } from 'zod';
import type { AnySession } from '../lease/sandbox.js';
import { type Images, withImage } from './images.js';
import type { PageState } from '../browser/tab/tab.js';
import type { Routes } from './routes.js';
import { ActReply, ActRequest, answers, LeaseRequest, SessionInfo, SessionParams } from './wire.js';

/** Sessions: leased, listed, acted on, kept and given back. */
export function sessionRoutes(
  { app, sandbox, reach, may, of, seen, listed, admit, release }: Routes,
  images: Images,
): void {
  const one = { params: SessionParams };
  app.post(
    '/v1/sessions',
    { onRequest: may('operate'), schema: { body: LeaseRequest, response: { 201: SessionInfo, ...answers } } },
    async (request, reply) => {
      const terms = withImage(request.body, images);
      reach.check(terms);
      return reply.status(201).send(await admit(request, reply, terms, (wait) => sandbox.lease({ ...terms, ...wait })));
    },
  );
  app.get(
    '/v1/sessions',
    { onRequest: may('watch'), schema: { response: { 200: z.array(SessionInfo), ...answers } } },
    (request) => listed(request).map(infoOf),
  );
  app.get(
    '/v1/sessions/:id',
    { onRequest: may('watch'), schema: { ...one, response: { 200: SessionInfo, ...answers } } },
    (request) => infoOf(seen(request)),
  );
  app.post('/v1/sessions/:id/renew', { onRequest: may('operate'), schema: one }, async (request, reply) => {
    of(request).renew();
    return reply.status(204).send();
  });
  app.delete('/v1/sessions/:id', { onRequest: may('operate'), schema: one }, async (request, reply) => {
    await release(of(request));
    return reply.status(204).send();
  });
  app.post(
    '/v1/sessions/:id/act',
    { onRequest: may('operate'), schema: { ...one, body: ActRequest, response: { 200: ActReply, ...answers } } },
    async (request) => {
      const session = of(request);
      for (const action of request.body.actions) await session.screen.act(action);
      return actedOf(session);
    },
  );
}

/** What is told of a session. */
export function infoOf(session: AnySession): SessionInfo {
  const { id, kind, state, screen } = session;
  return { id, kind, state, size: screen.size, ...pageOf(session) };
}

/** What came of actions of a session. */
export function actedOf(session: AnySession): ActReply {
  return { notices: [...(session.screen.notices?.() ?? [])], ...pageOf(session) };
}

function pageOf(session: AnySession): { page?: PageState } {
  return 'browser' in session && session.browser ? { page: session.browser.page } : {};
}
