import type { Sandbox } from '@gyre/sandbox';
import autocannon from 'autocannon';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveSession } from './servedSession.js';

/** Small loopback requests over 16 connections. */
export interface LoadRow {
  server: 'gyre' | 'node:http';
  requestsPerSecond: number;
  /** Latency in ms. */
  p99: number;
  /** Missing or non-2xx responses. */
  failed: number;
}

const connections = 16;

/** Compares authorised requests with a bare server. */
export async function measureLoad(sandbox: Sandbox, seconds: number): Promise<LoadRow[]> {
  const { server, token, session } = await serveSession(sandbox);
  const url = `${server.url}/v1/sessions/${session.id}`;
  const headers = { authorization: `Bearer ${token}` };
  const same = await (await fetch(url, { headers })).text();
  const bare = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(same);
  }).listen(0, '127.0.0.1');
  await once(bare, 'listening');
  try {
    const { port } = bare.address() as AddressInfo;
    return [
      { server: 'gyre', ...(await fire(url, headers, seconds / 2)) },
      { server: 'node:http', ...(await fire(`http://127.0.0.1:${port}/`, {}, seconds / 2)) },
    ];
  } finally {
    bare.close();
    await server.close();
  }
}

async function fire(url: string, headers: Record<string, string>, seconds: number): Promise<Omit<LoadRow, 'server'>> {
  const result = await autocannon({
    url,
    headers,
    connections,
    workers: 1,
    duration: Math.max(1, Math.round(seconds)),
  });
  const { requests, latency, non2xx, errors } = result;
  return { requestsPerSecond: requests.average, p99: latency.p99, failed: non2xx + errors };
}
