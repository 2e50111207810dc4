import { Action, shownText } from '@gyre/protocol';
import { z } from 'zod';
import { Failure } from './failure.js';
import { route } from './route.js';
import { SessionInfo, SessionParams } from './session.js';

const params = SessionParams;

/** Sent first, and on each change. */
export const ViewedSession = SessionInfo.omit({ page: true }).extend({
  heldBy: z.string().optional(),
  mayControl: z.boolean(),
});

export const ControlMessage = z.strictObject({ id: z.int(), action: Action });

/** Sent once the action is done or failed. */
export const ControlReply = z.strictObject({ id: z.int().optional(), error: Failure.shape.error.optional() });
export type ControlReply = z.infer<typeof ControlReply>;

export const frames = {
  latest: route({
    method: 'GET',
    path: '/v1/sessions/:id/frame',
    scope: 'watch',
    summary: 'Returns a screenshot',
    params,
    reply: 'image/png',
  }),
  stream: route({
    method: 'GET',
    path: '/v1/sessions/:id/frames',
    scope: 'watch',
    summary: 'Streams the screen: each frame as its hash and size, then its PNG',
    params,
    query: z.strictObject({
      perSecond: z.coerce.number().positive().max(60).default(10),
      /** The viewer acknowledges frames by any message, and lags at most two. */
      acks: z.stringbool().default(false),
    }),
    reply: 'websocket',
    hidden: true,
  }),
  control: route({
    method: 'GET',
    path: '/v1/sessions/:id/control',
    scope: 'operate',
    summary: 'Takes over mouse and keyboard until the connection closes',
    params,
    query: z.strictObject({
      name: z.string().min(1).max(60).default('a person at the live view').transform(shownText),
    }),
    reply: 'websocket',
    hidden: true,
  }),
};
