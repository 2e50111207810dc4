import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface SearxngDouble {
  readonly url: string;
  readonly reader: string;
  readonly urls: readonly string[];
  close(): Promise<void>;
}

/** Doubles SearXNG's JSON API (docs.searxng.org/dev/search_api.html) and Jina's Reader; never compared with SearXNG. */
export async function searxngDouble(): Promise<SearxngDouble> {
  const urls: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://double');
    urls.push(request.url ?? '/');
    if (pathname.startsWith('/reader/')) {
      const missing = pathname.includes('missing');
      response.statusCode = missing ? 404 : 200;
      response.end(missing ? '' : `# The page\n\n${'text '.repeat(10_000)}end`);
      return;
    }
    const query = searchParams.get('q');
    if (query === 'slow') return;
    if (pathname !== '/find/search' || searchParams.get('format') !== 'json' || query === 'broken') {
      response.statusCode = 403;
      response.end('<!doctype html>');
      return;
    }
    const page = {
      title: `About ${query ?? ''}`,
      url: 'http://pages.test/1',
      content: 'What it is.',
      engine: 'double',
    };
    const results = query === 'nothing' ? [] : [page, { title: 'Bare', url: 'http://pages.test/2', content: null }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ query, number_of_results: results.length, results, answers: [], suggestions: [] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${base}/find/`,
    reader: `${base}/reader/`,
    urls,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
