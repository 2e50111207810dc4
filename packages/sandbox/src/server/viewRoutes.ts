import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { service } from '../wire/service.js';
import type { RouteContext } from './routeContext.js';
import { fastifyRoute } from './serve.js';

const part = (name: string): string => readFileSync(new URL(`../../view/${name}`, import.meta.url), 'utf8');

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** One page for all sessions. It needs no token, and reads its own from the URL fragment, which browsers never send. */
export function viewRoutes({ app, access }: RouteContext): void {
  const [style, script] = [part('view.css'), part('view.js')];
  const page = part('view.html')
    .replace(/(<style>)[^]*?(<\/style>)/, (_, begin: string, end: string) => begin + style + end)
    .replace(/(<script type="module">)[^]*?(<\/script>)/, (_, begin: string, end: string) => begin + script + end);
  const policy = [
    "default-src 'none'",
    `style-src ${sourceOf(style)}`,
    `script-src ${sourceOf(script)}`,
    "connect-src 'self'",
    // Its icon, and saved videos.
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
    // Against clickjacking.
    "frame-ancestors 'none'",
  ].join('; ');
  app.get(
    service.view.path,
    { ...fastifyRoute(access, service.view), config: { access: { navigable: true } } },
    (_, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', policy)
        .header('cache-control', 'no-cache')
        .send(page),
  );
}
