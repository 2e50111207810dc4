import { Readable } from 'node:stream';
import { type Checkpoint, readCheckpoint } from '../lease/checkpoint.js';
import { checkpoints as routes } from '../wire/checkpoint.js';
import { requireMachine } from './requireMachine.js';
import type { RouteContext, SessionRequest } from './routeContext.js';
import { fastifyRoute } from './serve.js';
import { sessionInfo } from './sessionRoutes.js';

/** Other requests run between pieces. */
const pieceCharacters = 2 ** 18;

export function checkpointRoutes(context: RouteContext): void {
  const { app, access, sandbox, allowList, serve, session, leases, lesseeOf } = context;
  // Streamed, past the serializer.
  app.post(routes.make.path, fastifyRoute(access, routes.make), async (request, reply) => {
    const checkpoint = await requireMachine(session(request as SessionRequest)).checkpoint();
    return reply.type('application/json').send(Readable.from(json(checkpoint)));
  });
  serve(routes.restore, async (request, reply) => {
    const { checkpoint: raw, ttlMs, waitMs, labels } = request.body;
    const checkpoint = readCheckpoint(raw);
    allowList.check(checkpoint.terms);
    const { kind } = checkpoint.terms;
    const lessee = lesseeOf(request, reply);
    return sessionInfo(
      await leases.admit({ kind, waitMs, labels }, lessee, (wait) => sandbox.restore(checkpoint, { ...wait, ttlMs })),
    );
  });
}

function* json({ home, ...rest }: Checkpoint): Generator<Buffer, void> {
  yield Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"home":"`);
  // Base64 needs no JSON escapes.
  for (let start = 0; start < home.length; start += pieceCharacters) {
    yield Buffer.from(home.slice(start, start + pieceCharacters), 'latin1');
  }
  yield Buffer.from('"}');
}
