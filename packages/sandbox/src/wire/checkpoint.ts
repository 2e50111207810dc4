import { z } from 'zod';
import { Checkpoint } from '../lease/checkpoint.js';
import { machineKinds } from '../lease/kind.js';
import { LeaseTimeRequest } from './lease.js';
import { route } from './route.js';
import { SessionInfo, SessionParams } from './session.js';

export const checkpoints = {
  make: route({
    method: 'POST',
    path: '/v1/sessions/:id/checkpoint',
    scope: 'operate',
    summary: 'Creates a checkpoint, from which `/v1/restore` creates another session',
    params: SessionParams,
    reply: Checkpoint,
  }),
  restore: route({
    method: 'POST',
    path: '/v1/restore',
    scope: 'operate',
    summary: 'Leases a session from a checkpoint',
    body: z.strictObject({
      // `Sandbox.restore` parses the rest; its faults are `corrupt`.
      checkpoint: z.looseObject({ terms: z.looseObject({ kind: z.enum(machineKinds) }) }),
      ...LeaseTimeRequest.shape,
    }),
    bodyLimit: 2 ** 26,
    reply: SessionInfo,
    status: 201,
  }),
};
