import type { FastifyRequest } from 'fastify';
import { GyreError } from '@gyre/protocol';
import type { BrowserSurface } from '../lease/session.js';
import { machineOf } from './machineOf.js';
import type { Routes } from './routes.js';
import { actedOf } from './sessionRoutes.js';
import {
  ActReply,
  AdvanceRequest,
  answers,
  EvaluateReply,
  EvaluateRequest,
  type Json,
  NavigateRequest,
  OpenRequest,
  SessionParams,
} from './wire.js';

/** Bytes of a page that is opened. */
const pageLimit = 8 * 2 ** 20;

/** What sets up and verifies pages of a session's browser. */
export function browserRoutes({ app, may, of }: Routes): void {
  const one = { params: SessionParams };
  const browserIn = (request: FastifyRequest<{ Params: { id: string } }>): BrowserSurface => {
    const { browser } = machineOf(of(request));
    if (browser) return browser;
    throw new GyreError('bad_input', 'the session has no browser', { field: 'id', fix: 'lease one of kind browser' });
  };
  app.post(
    '/v1/sessions/:id/browser/open',
    { onRequest: may('operate'), bodyLimit: pageLimit, schema: { ...one, body: OpenRequest } },
    async (request, reply) => {
      const { script, ...page } = request.body;
      await browserIn(request).open({ ...page, ...(script !== undefined && { script }) });
      return reply.status(204).send();
    },
  );
  app.post(
    '/v1/sessions/:id/browser/evaluate',
    {
      onRequest: may('operate'),
      schema: { ...one, body: EvaluateRequest, response: { 200: EvaluateReply, ...answers } },
    },
    async (request) => {
      const { expression, tab } = request.body;
      return { value: await browserIn(request).evaluate<Json | undefined>(expression, { tab }) };
    },
  );
  app.post(
    '/v1/sessions/:id/browser/advance',
    { onRequest: may('operate'), schema: { ...one, body: AdvanceRequest } },
    async (request, reply) => {
      await browserIn(request).advance(request.body.ms);
      return reply.status(204).send();
    },
  );
  app.post(
    '/v1/sessions/:id/browser/navigate',
    { onRequest: may('operate'), schema: { ...one, body: NavigateRequest, response: { 200: ActReply, ...answers } } },
    async (request) => {
      await browserIn(request).navigate(request.body.url);
      return actedOf(of(request));
    },
  );
}
