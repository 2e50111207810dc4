import { z } from 'zod';
import { maxMessage } from '../tools/tool.js';
import { machineOf } from './machineOf.js';
import type { Routes } from './routes.js';
import {
  ToolCallRequest,
  ToolInfo,
  ToolReply,
  ToolServerInfo,
  ToolServerParams,
  ToolServerRequest,
  toWire,
} from './toolWire.js';
import { answers, SessionParams } from './wire.js';

/** The tools of sessions: servers that are started in them, what they have, and calls. */
export function toolRoutes({ app, may, of }: Routes): void {
  const onRequest = may('operate');
  app.post(
    '/v1/sessions/:id/tools',
    {
      onRequest,
      schema: { params: SessionParams, body: ToolServerRequest, response: { 201: ToolServerInfo, ...answers } },
    },
    async (request, reply) => {
      const { name } = await machineOf(of(request)).tools.start(request.body);
      return reply.status(201).send({ name });
    },
  );
  app.get(
    '/v1/sessions/:id/tools',
    { onRequest, schema: { params: SessionParams, response: { 200: z.array(ToolServerInfo), ...answers } } },
    (request) => machineOf(of(request)).tools.servers.map(({ name }) => ({ name })),
  );
  const one = { params: ToolServerParams };
  app.get(
    '/v1/sessions/:id/tools/:server',
    { onRequest, schema: { ...one, response: { 200: z.array(ToolInfo), ...answers } } },
    async (request) => [...(await machineOf(of(request)).tools.server(request.params.server).list())],
  );
  app.post(
    '/v1/sessions/:id/tools/:server/call',
    {
      onRequest,
      bodyLimit: maxMessage,
      schema: { ...one, body: ToolCallRequest, response: { 200: ToolReply, ...answers } },
    },
    async (request) => {
      const { tool, args, ...options } = request.body;
      const server = machineOf(of(request)).tools.server(request.params.server);
      return toWire(await server.call(tool, args, options));
    },
  );
  app.delete('/v1/sessions/:id/tools/:server', { onRequest, schema: one }, async (request, reply) => {
    await machineOf(of(request)).tools.server(request.params.server).close();
    return reply.status(204).send();
  });
}
