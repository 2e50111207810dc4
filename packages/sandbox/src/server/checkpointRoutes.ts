import { Readable } from 'node:stream';
import { type Checkpoint, readCheckpoint } from '../lease/checkpoint.js';
import { machineOf } from './machineOf.js';
import type { Routes } from './routes.js';
import { Failure, RestoreRequest, SessionInfo, SessionParams } from './wire.js';

/** Bytes of a checkpoint: its home in base64, and what was done on its page. */
const bodyLimit = 2 ** 26;

/** Characters of a home that are sent at once: between two pieces others have their turn. */
const pieceCharacters = 2 ** 18;

const answers = { '4xx': Failure, '5xx': Failure };

/** Checkpoints of sessions, and sessions made from them. */
export function checkpointRoutes({ app, sandbox, reach, may, of, admit }: Routes): void {
  app.post(
    '/v1/sessions/:id/checkpoint',
    {
      onRequest: may('operate'),
      schema: { params: SessionParams, description: 'What a session can be restored from, by `/v1/restore`.' },
    },
    async (request, reply) => {
      const checkpoint = await machineOf(of(request)).checkpoint();
      return reply.type('application/json').send(Readable.from(written(checkpoint)));
    },
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
      reach.check(readCheckpoint(checkpoint).terms);
      const session = await admit(request, reply, { kind, ...(waitMs !== undefined && { waitMs }) }, (wait) =>
        sandbox.restore(checkpoint as unknown as Checkpoint, { ...wait, ...(ttlMs !== undefined && { ttlMs }) }),
      );
      return reply.status(201).send(session);
    },
  );
}

/** A checkpoint as JSON, in pieces. */
function* written({ home, ...rest }: Checkpoint): Generator<Buffer, void> {
  yield Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"home":"`);
  // Base64 stands in JSON as it is.
  for (let at = 0; at < home.length; at += pieceCharacters) {
    yield Buffer.from(home.slice(at, at + pieceCharacters), 'latin1');
  }
  yield Buffer.from('"}');
}
