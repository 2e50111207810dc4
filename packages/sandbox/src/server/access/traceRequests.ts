import { callerOf, failSpan, traced } from '@gyre/protocol';
import type { FastifyInstance } from 'fastify';

/**
 * Answers requests with a `traceparent` in a span of the caller's trace. Others, such as probes, are not traced, and
 * neither are WebSockets.
 */
export function traceRequests(app: FastifyInstance): void {
  // Once access is granted: nobody else adds to a trace.
  app.addHook('preHandler', (request, reply, done) => {
    const parent = callerOf(request.headers);
    if (parent === undefined || request.headers.upgrade !== undefined) {
      done();
      return;
    }
    const { method } = request;
    const path = request.routeOptions.url ?? request.url.split('?')[0];
    const attributes = { 'http.request.method': method, 'http.route': path };
    void traced(`${method} ${path}`, { kind: 'server', attributes, parent }, async (span) => {
      const closed = new Promise<void>((resolve) => void reply.raw.once('close', resolve));
      done();
      await closed;
      span.setAttribute('http.response.status_code', reply.statusCode);
      if (reply.statusCode >= 500) failSpan(span, new Error(`status ${reply.statusCode}`));
    });
  });
}
