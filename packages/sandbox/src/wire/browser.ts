import { z } from 'zod';
import { Json } from './json.js';
import { route } from './route.js';
import { ActReply, SessionParams } from './session.js';

const params = SessionParams;

export const browser = {
  open: route({
    method: 'POST',
    path: '/v1/sessions/:id/browser/open',
    scope: 'operate',
    summary: 'Shows a fresh document',
    params,
    /** See `PageSource`. */
    body: z.strictObject({
      html: z.string(),
      script: z.string().optional(),
      argument: Json.optional(),
      seed: z.int(),
    }),
    bodyLimit: 8 * 2 ** 20,
  }),
  navigate: route({
    method: 'POST',
    path: '/v1/sessions/:id/browser/navigate',
    scope: 'operate',
    summary: 'Loads a URL',
    params,
    body: z.strictObject({ url: z.string().min(1) }),
    reply: ActReply,
  }),
  advance: route({
    method: 'POST',
    path: '/v1/sessions/:id/browser/advance',
    scope: 'operate',
    summary: 'Moves game time',
    params,
    body: z.strictObject({ ms: z.number().nonnegative().max(3_600_000) }),
  }),
  evaluate: route({
    method: 'POST',
    path: '/v1/sessions/:id/browser/evaluate',
    scope: 'operate',
    summary: 'Evaluates an expression in an isolated world of the page',
    params,
    body: z.strictObject({ expression: z.string().min(1), tab: z.enum(['shown', 'first']).optional() }),
    reply: z.strictObject({ value: Json.optional() }),
  }),
  cdp: route({
    method: 'GET',
    path: '/v1/sessions/:id/cdp',
    scope: 'operate',
    summary: 'Connects a client of the Chrome DevTools Protocol, which sees this session alone; free clock only',
    params,
    reply: 'websocket',
  }),
  cdpJson: route({
    method: 'GET',
    path: '/v1/sessions/:id/cdp/json/*',
    scope: 'operate',
    summary: "Returns what Chrome returns at /json/version and /json/list, for this session's browser",
    params: z.strictObject({ id: z.string(), '*': z.string().regex(/^(version|list)\/?$/) }),
    reply: Json,
  }),
};
