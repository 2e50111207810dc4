import { type Checkpoint, Checkpoint as CheckpointSchema } from '../checkpoint.js';
import { machineOf } from './machineOf.js';
import type { Routes } from './routes.js';
import { Failure, RestoreRequest, SessionInfo, SessionParams } from './wire.js';

/** Bytes of a checkpoint: its home in base64, and what was done on its page. */
const bodyLimit = 128 * 2 ** 20;

const answers = { '4xx': Failure, '5xx': Failure };

/** Checkpoints of sessions, and sessions made from them. */
export function checkpointRoutes({ app, sandbox, may, of, admit }: Routes): void {
  app.post(
    '/v1/sessions/:id/checkpoint',
    { onRequest: may('operate'), schema: { params: SessionParams, response: { 200: CheckpointSchema, ...answers } } },
    (request) => machineOf(of(request)).checkpoint(),
  );
  app.post(
    '/v1/restore',
    {
      onRequest: may('operate'),
      bodyLimit,
      schema: { body: RestoreRequest, response: { 201: SessionInfo, ...answers } },
    },
    async (request, reply) => {
      const { checkpoint, ttlMs, waitMs } = request.body;
      const { kind } = checkpoint.terms;
      const session = await admit(request, reply, { kind, ...(waitMs !== undefined && { waitMs }) }, (wait) =>
        sandbox.restore(checkpoint as unknown as Checkpoint, { ...wait, ...(ttlMs !== undefined && { ttlMs }) }),
      );
      return reply.status(201).send(session);
    },
  );
}
