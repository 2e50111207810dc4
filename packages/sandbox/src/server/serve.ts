import type { WebSocket } from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import { Failure } from '../wire/failure.js';
import type { BodyOf, ParamsOf, QueryOf, ResultOf, Route } from '../wire/route.js';
import type { ServerAccess } from './access/access.js';

export type RequestTo<Declared extends Route> = FastifyRequest<{
  Params: ParamsOf<Declared>;
  Querystring: QueryOf<Declared>;
  Body: BodyOf<Declared>;
}>;

/** The handler returns JSON, or sends anything else itself. */
export type Serve = <Declared extends Route>(
  declared: Declared,
  handler: (request: RequestTo<Declared>, reply: FastifyReply) => ResultOf<Declared> | Promise<ResultOf<Declared>>,
) => void;

export type ServeSocket = <Declared extends Route & { readonly reply: 'websocket' }>(
  declared: Declared,
  handler: (socket: WebSocket, request: RequestTo<Declared>) => void | Promise<void>,
) => void;

type FastifyRoute = Required<Pick<RouteOptions, 'onRequest' | 'schema' | 'config'>> &
  Pick<RouteOptions, 'bodyLimit' | 'exposeHeadRoute'>;

/** Translates a route for Fastify. */
export function fastifyRoute(access: ServerAccess, declared: Route): FastifyRoute {
  const { scope, summary, params, query, body, bodyLimit, reply, status = 200, hidden } = declared;
  return {
    onRequest: scope === 'open' ? access.open : access.may(scope),
    config: typeof body === 'string' ? { access: { accepts: [body] } } : {},
    bodyLimit,
    // HEAD would wait for the stream's end.
    exposeHeadRoute: reply === 'text/event-stream' ? false : undefined,
    schema: {
      summary,
      security: scope === 'open' ? [] : undefined,
      hide: hidden,
      // Fastify warns of undefined schemas.
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body instanceof z.ZodType && { body }),
      // Programs inside reply freely.
      ...(reply !== '*' && { response: { ...success(reply, status), '4xx': Failure, '5xx': Failure } }),
    },
  };
}

function success(reply: Route['reply'], status: 200 | 201): Readonly<Record<number, unknown>> {
  if (reply === undefined) return { 204: z.undefined().describe('Done') };
  if (reply === 'websocket') return { 101: z.undefined().describe('A WebSocket') };
  if (typeof reply !== 'string') return { [status]: reply };
  return {
    [status]: { description: 'Bytes', content: { [reply]: { schema: z.string().meta({ format: 'binary' }) } } },
  };
}

export function createServe(app: FastifyInstance, access: ServerAccess): { serve: Serve; serveSocket: ServeSocket } {
  return {
    serve: (declared, handler) => {
      const { method, path, reply: schema, status = 200 } = declared as Route;
      app.route({
        ...fastifyRoute(access, declared),
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
      app.get(declared.path, { ...fastifyRoute(access, declared), websocket: true }, (socket, request) =>
        handler(socket, request as RequestTo<typeof declared>),
      );
    },
  };
}
