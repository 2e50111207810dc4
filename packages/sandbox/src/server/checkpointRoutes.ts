import { Readable } from 'node:stream';
import { type Checkpoint, readCheckpoint } from '../lease/checkpoint.js';
import { checkpoints as routes } from '../wire/checkpoint.js';
import { requireMachine } from './requireMachine.js';
import type { RouteContext, SessionRequest } from './routeContext.js';
import { fastifyRoute } from './serve.js';

/** Other requests run between pieces. */
const pieceCharacters = 2 ** 18;

export function checkpointRoutes({ app, access, sandbox, allowList, serve, session, admit }: RouteContext): void {
  // Streamed, past the serializer.
  app.post(routes.make.path, fastifyRoute(access, routes.make), async (request, reply) => {
    const checkpoint = await requireMachine(session(request as SessionRequest)).checkpoint();
    return reply.type('application/json').send(Readable.from(json(checkpoint)));
  });
  serve(routes.restore, (request, reply) => {
    const { checkpoint: raw, ttlMs, waitMs } = request.body;
    const checkpoint = readCheckpoint(raw);
    allowList.check(checkpoint.terms);
    return admit(request, reply, { kind: checkpoint.terms.kind, waitMs }, (wait) =>
      sandbox.restore(checkpoint, { ...wait, ttlMs }),
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
