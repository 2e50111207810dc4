import { Action, shownText } from '@gyre/protocol';
import { z } from 'zod';
import { Failure } from './failure.js';
import { route } from './route.js';
import { SessionInfo, SessionParams } from './session.js';

const params = SessionParams;

/** Sent to viewers at first and whenever it changes. */
export const ViewedSession = SessionInfo.omit({ page: true }).extend({
  /** The person who has taken the session over. */
  heldBy: z.string().optional(),
  /** May the viewer's token take it over? */
  mayControl: z.boolean(),
});

/** An action of the person who has taken the session over. */
export const ControlMessage = z.strictObject({ id: z.int(), action: Action });

/** Sent when the action is done or has failed. */
export const ControlReply = z.strictObject({ id: z.int().optional(), error: Failure.shape.error.optional() });
export type ControlReply = z.infer<typeof ControlReply>;

export const frames = {
  latest: route({
    method: 'GET',
    path: '/v1/sessions/:id/frame',
    scope: 'watch',
    summary: 'Returns what the screen shows',
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
      /** The viewer answers each frame by any message, and then gets the next one at most two frames late. */
      acks: z.stringbool().default(false),
    }),
    reply: 'websocket',
    hidden: true,
  }),
  control: route({
    method: 'GET',
    path: '/v1/sessions/:id/control',
    scope: 'operate',
    summary: 'Takes over mouse and keyboard for as long as the connection holds',
    params,
    query: z.strictObject({
      /** Shown to other viewers. */
      name: z.string().min(1).max(60).default('a person at the live view').transform(shownText),
    }),
    reply: 'websocket',
    hidden: true,
  }),
};
