import { Action, Size } from '@gyre/protocol';
import { z } from 'zod';
import { questionKinds } from '../browser/window/question.js';
import { kinds } from '../lease/kind.js';
import { LeaseRequest } from './lease.js';
import { route } from './route.js';

/** See `PageState`. */
const PageInfo = z.strictObject({
  url: z.string(),
  loading: z.boolean(),
  failed: z.string().optional(),
  tabs: z.strictObject({ urls: z.array(z.string()), shown: z.int() }).optional(),
  asks: z.enum(questionKinds).optional(),
});

export const SessionInfo = z.strictObject({
  id: z.string(),
  kind: z.enum(kinds),
  state: z.enum(['leased', 'broken', 'released']),
  size: Size,
  page: PageInfo.optional(),
  /** In a fleet, the address of the session's node, and a token for this session alone. */
  direct: z.strictObject({ url: z.url({ protocol: /^https?$/ }), token: z.string().min(1) }).optional(),
});
export type SessionInfo = z.infer<typeof SessionInfo>;

export const SessionParams = z.strictObject({ id: z.string() });

/** Notices of effects that need not be visible, such as downloads. */
export const ActReply = z.strictObject({ notices: z.array(z.string()), page: PageInfo.optional() });
export type ActReply = z.infer<typeof ActReply>;

const params = SessionParams;

export const sessions = {
  lease: route({
    method: 'POST',
    path: '/v1/sessions',
    scope: 'operate',
    summary: 'Leases a session',
    body: LeaseRequest,
    reply: SessionInfo,
    status: 201,
  }),
  list: route({
    method: 'GET',
    path: '/v1/sessions',
    scope: 'watch',
    summary: 'Lists the sessions that the token may see',
    reply: z.array(SessionInfo),
  }),
  get: route({
    method: 'GET',
    path: '/v1/sessions/:id',
    scope: 'watch',
    summary: 'Describes a session',
    params,
    reply: SessionInfo,
  }),
  renew: route({
    method: 'POST',
    path: '/v1/sessions/:id/renew',
    scope: 'operate',
    summary: 'Renews the lease',
    params,
  }),
  release: route({
    method: 'DELETE',
    path: '/v1/sessions/:id',
    scope: 'operate',
    summary: 'Releases a session and removes its machine',
    params,
  }),
  act: route({
    method: 'POST',
    path: '/v1/sessions/:id/act',
    scope: 'operate',
    summary: 'Takes actions, one after another',
    params,
    body: z.strictObject({ actions: z.array(Action).min(1).max(64) }),
    reply: ActReply,
  }),
};
