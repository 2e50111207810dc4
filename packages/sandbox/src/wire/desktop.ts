import { z } from 'zod';
import { route } from './route.js';
import { SessionParams } from './session.js';

/** See `DesktopWindow`. */
const WindowInfo = z.strictObject({
  id: z.int(),
  title: z.string(),
  program: z.string(),
  pid: z.int().optional(),
  box: z.strictObject({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
  focused: z.boolean(),
});

export const desktop = {
  launch: route({
    method: 'POST',
    path: '/v1/sessions/:id/launch',
    scope: 'operate',
    summary: 'Starts a program on a desktop or a remote machine',
    params: SessionParams,
    body: z.strictObject({ program: z.string().min(1), args: z.array(z.string()).default([]) }),
  }),
  windows: route({
    method: 'GET',
    path: '/v1/sessions/:id/windows',
    scope: 'operate',
    summary: 'Lists the windows of a desktop',
    params: SessionParams,
    reply: z.array(WindowInfo),
  }),
};
