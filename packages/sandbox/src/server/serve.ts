import type { WebSocket } from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import { Failure } from '../wire/failure.js';
import type { BodyOf, ParamsOf, QueryOf, ResultOf, Route } from '../wire/route.js';
import type { ServerAccess } from './access/access.js';

/** A request to a declared route, parsed. */
export type RequestTo<Declared extends Route> = FastifyRequest<{
  Params: ParamsOf<Declared>;
  Querystring: QueryOf<Declared>;
  Body: BodyOf<Declared>;
}>;

/** Registers a handler of a declared route. It returns the reply where that is JSON, and sends it where it is not. */
export type Serve = <Declared extends Route>(
  declared: Declared,
  handler: (request: RequestTo<Declared>, reply: FastifyReply) => ResultOf<Declared> | Promise<ResultOf<Declared>>,
) => void;

/** Registers a handler of a declared WebSocket. */
export type ServeSocket = <Declared extends Route & { readonly reply: 'websocket' }>(
  declared: Declared,
  handler: (socket: WebSocket, request: RequestTo<Declared>) => void | Promise<void>,
) => void;

type Registered = Required<Pick<RouteOptions, 'onRequest' | 'schema' | 'config'>> &
  Pick<RouteOptions, 'bodyLimit' | 'exposeHeadRoute'>;

/** Returns what Fastify needs to guard, parse and document a declared route. */
export function registered(access: ServerAccess, declared: Route): Registered {
  const { scope, summary, params, query, body, bodyLimit, reply, status = 200, hidden } = declared;
  return {
    onRequest: scope === 'open' ? access.open : access.may(scope),
    config: typeof body === 'string' ? { access: { accepts: [body] } } : {},
    bodyLimit,
    // A stream of events has no end, which a HEAD would wait for.
    exposeHeadRoute: reply === 'text/event-stream' ? false : undefined,
    schema: {
      summary,
      security: scope === 'open' ? [] : undefined,
      hide: hidden,
      // Fastify warns of a schema that is undefined.
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body instanceof z.ZodType && { body }),
      // Programs inside a session have replies of their own.
      ...(reply !== '*' && { response: { ...success(reply, status), '4xx': Failure, '5xx': Failure } }),
    },
  };
}

/** Documents the reply to a request that succeeds. */
function success(reply: Route['reply'], status: 200 | 201): Readonly<Record<number, unknown>> {
  if (reply === undefined) return { 204: z.undefined().describe('Done') };
  if (reply === 'websocket') return { 101: z.undefined().describe('A WebSocket') };
  if (typeof reply !== 'string') return { [status]: reply };
  return {
    [status]: { description: 'Bytes', content: { [reply]: { schema: z.string().meta({ format: 'binary' }) } } },
  };
}

/** Returns the functions by which files of routes register handlers. */
export function serving(app: FastifyInstance, access: ServerAccess): { serve: Serve; serveSocket: ServeSocket } {
  return {
    serve: (declared, handler) => {
      const { method, path, reply: schema, status = 200 } = declared as Route;
      app.route({
        ...registered(access, declared),
        method: typeof method === 'string' ? method : [...method],
        url: path,
        handler: async (request, reply) => {
          const result = await handler(request as RequestTo<typeof declared>, reply);
          if (schema === undefined) return reply.status(204).send();
          return schema instanceof z.ZodType ? reply.status(status).send(result) : result;
        },
      });
    },
    serveSocket: (declared, handler) => {
      app.get(declared.path, { ...registered(access, declared), websocket: true }, (socket, request) =>
        handler(socket, request as RequestTo<typeof declared>),
      );
    },
  };
}
