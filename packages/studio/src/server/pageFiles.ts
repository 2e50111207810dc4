import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { ServerAccess } from '@gyre/sandbox';
import type { FastifyInstance } from 'fastify';

const folder = new URL('../web/', import.meta.url);

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const policy = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"],
  // Screenshots are fetched with the token.
  'img-src blob: data:',
  // So are recordings of people.
  'media-src blob:',
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

/** Serves the built page at `/` and at every path of its own. It needs no token, and reads its own from the fragment. */
export function pageFiles(app: FastifyInstance, access: ServerAccess): void {
  const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder))]));
  const route = { onRequest: access.open, config: { access: { navigable: true } } };
  const page = { ...route, exposeHeadRoute: false };
  for (const [name, bytes] of files) {
    if (name.endsWith('.html') || name.endsWith('.map')) continue;
    app.get(`/assets/${name}`, page, (_, reply) =>
      reply
        .type(types[extname(name)] ?? 'application/octet-stream')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(bytes),
    );
  }
  const index = files.get('index.html');
  for (const path of ['/', '/results', '/runs/*', '/live', '/live/*']) {
    app.get(path, page, (_, reply) =>
      reply
        .type(types['.html']!)
        .header('content-security-policy', policy)
        .header('cache-control', 'no-cache')
        .send(index),
    );
  }
}
