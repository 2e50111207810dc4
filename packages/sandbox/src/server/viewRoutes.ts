import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Routes } from './routes.js';
import { SessionParams } from './wire.js';

const part = (name: string): string => readFileSync(new URL(`../../view/${name}`, import.meta.url), 'utf8');

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * The live view: one page, the same for every session. It holds nothing and needs no token; what it shows it fetches with the token
 * that stands behind the # of its address, which no browser sends to a server.
 */
export function viewRoutes({ app, open }: Routes): void {
  const [style, script] = [part('view.css'), part('view.js')];
  const page = part('view.html')
    .replace(/(<style>)[^]*?(<\/style>)/, (_, begin: string, end: string) => begin + style + end)
    .replace(/(<script type="module">)[^]*?(<\/script>)/, (_, begin: string, end: string) => begin + script + end);
  const policy = [
    "default-src 'none'",
    `style-src ${sourceOf(style)}`,
    `script-src ${sourceOf(script)}`,
    "connect-src 'self'",
    // Its icon, and videos to be saved.
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
    // A page around it could lead the clicks of a person into a session.
    "frame-ancestors 'none'",
  ].join('; ');
  app.get(
    '/v1/sessions/:id/view',
    {
      onRequest: open,
      config: { access: { navigable: true } },
      schema: { params: SessionParams, security: [], hide: true },
    },
    (_, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', policy)
        .header('cache-control', 'no-cache')
        .send(page),
  );
}
