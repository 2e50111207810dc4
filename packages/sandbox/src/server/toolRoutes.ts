import type { FastifyRequest } from 'fastify';
import type { ToolServer } from '../tools/tool.js';
import { tools as routes, toWire } from '../wire/tools.js';
import { requireMachine } from './requireMachine.js';
import type { RouteContext } from './routeContext.js';

export function toolRoutes({ serve, session }: RouteContext): void {
  const serverIn = (request: FastifyRequest<{ Params: { id: string; server: string } }>): ToolServer =>
    requireMachine(session(request)).tools.server(request.params.server);
  serve(routes.start, async (request) => {
    const { name } = await requireMachine(session(request)).tools.start(request.body);
    return { name };
  });
  serve(routes.servers, (request) => requireMachine(session(request)).tools.servers.map(({ name }) => ({ name })));
  serve(routes.list, async (request) => [...(await serverIn(request).list())]);
  serve(routes.call, async (request) => {
    const { tool, args, ...options } = request.body;
    return toWire(await serverIn(request).call(tool, args, options));
  });
  serve(routes.stop, (request) => serverIn(request).close());
}
