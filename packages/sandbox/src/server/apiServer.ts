import swagger from '@fastify/swagger';
import websocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  serializerCompiler,
  validatorCompiler,
} from 'fastify-type-provider-zod';
import type { ServerAccess } from './access/access.js';
import { guardedServer, type GuardedServerOptions } from './access/guardedServer.js';
import { errorReply, HttpRefusal } from './failures.js';
import { enforceIntakeLimits, type IntakeLimits } from './intake.js';

export interface ApiServerOptions extends GuardedServerOptions {
  /** Title of the OpenAPI document. */
  readonly title: string;
  readonly intakeLimits?: IntakeLimits | undefined;
}

/** A server whose OpenAPI document `swagger()` returns. */
export type ApiServer = FastifyInstance & { swagger(): object };

const largestMessage = 4_096;

/** Builds a guarded server of declared routes: checks, errors, OpenAPI, WebSockets and limits. Throws `bad_input` for invalid limits. */
export async function apiServer(
  access: ServerAccess,
  { title, intakeLimits, ...options }: ApiServerOptions,
): Promise<ApiServer> {
  const app = guardedServer(access, options);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler((error, _, reply) => {
    const { status, body } = errorReply(error);
    return reply.status(status).send(body);
  });
  app.setNotFoundHandler((_, reply) => {
    const { status, body } = errorReply(new HttpRefusal(404, 'there is no such address', 'see /openapi.json'));
    return reply.status(status).send(body);
  });
  await app.register(swagger, {
    openapi: {
      info: { title, version: '1' },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  await app.register(websocket, { options: { maxPayload: largestMessage } });
  enforceIntakeLimits(app, (request) => access.bearer(request)?.name ?? '', intakeLimits);
  return app;
}
