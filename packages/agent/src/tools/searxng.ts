import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { GyreError } from '@gyre/protocol';
import { isOutsideAddress } from '@gyre/sandbox';
import { z } from 'zod';
import type { SearchService } from './searchService.js';

export interface SearxngOptions {
  /** Must allow the format `json`. */
  readonly url: string;
  /** A page-to-text service such as Jina's Reader; the page's URL is appended. Default: pages cannot be read. */
  readonly reader?: string | undefined;
  /** Default 30 s. */
  readonly timeoutMs?: number | undefined;
}

const maxBytes = 2 ** 21;

const Answer = z.object({
  results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string().nullish() })),
});

/**
 * Searches with SearXNG (https://docs.searxng.org/dev/search_api.html).
 *
 * @throws GyreError `bad_input` for an invalid address.
 */
export function searxng({ url, reader, timeoutMs = 30_000 }: SearxngOptions): SearchService {
  const base = webAddress(url, '--search');
  const readerAddress = reader === undefined ? undefined : webAddress(reader, '--reader').href.replace(/\/+$/, '');

  const ask = async (address: string, field: string): Promise<{ ok: boolean; status: number; body: string }> => {
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
      return { ok: response.ok, status: response.status, body: await bodyOf(response) };
    } catch (cause) {
      const late = cause instanceof Error && cause.name === 'TimeoutError' ? ` within ${timeoutMs} ms` : '';
      throw new GyreError('infra', `${new URL(address).origin} does not answer${late}`, {
        field,
        part: 'network',
        fix: 'check that it is running',
        cause,
      });
    }
  };

  return {
    async search(query) {
      const address = new URL(`${base.pathname.replace(/\/+$/, '')}/search`, base);
      address.search = new URLSearchParams({ q: query, format: 'json' }).toString();
      const { ok, status, body } = await ask(address.href, '--search');
      const answer = Answer.safeParse(ok ? parsed(body) : undefined);
      if (!answer.success) {
        throw new GyreError('infra', `${base.href} did not return results in JSON (status ${status})`, {
          field: '--search',
          part: 'network',
          fix: 'use the URL of a SearXNG instance with json under search.formats in its settings',
        });
      }
      return {
        results: answer.data.results.map(({ title, url, content }) => ({ title, url, snippet: content ?? '' })),
      };
    },
    async read(page) {
      if (readerAddress === undefined) {
        throw new GyreError('bad_input', 'this task cannot read pages', {
          field: 'url',
          fix: 'use the text of the search results',
        });
      }
      // Normalised, so that no `..` escapes the reader's path.
      const { href, hostname } = webAddress(page, 'url');
      await expectOutside(hostname);
      const { ok, status, body } = await ask(`${readerAddress}/${href}`, '--reader');
      if (ok) return body;
      throw new GyreError('bad_input', `cannot read ${page} (status ${status})`, {
        field: 'url',
        fix: 'use a URL from the search results',
      });
    },
  };
}

/**
 * Refuses this host, internal networks and cloud metadata, which the reader could reach. Leaves unresolvable names to
 * the reader.
 */
async function expectOutside(hostname: string): Promise<void> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await addressesOf(host);
  if (addresses.every(isOutsideAddress)) return;
  throw new GyreError('bad_input', `${host} is not a public address`, {
    field: 'url',
    fix: 'use a URL from the search results',
  });
}

async function addressesOf(name: string): Promise<string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

function webAddress(text: string, field: string): URL {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address?.protocol === 'http:' || address?.protocol === 'https:') return address;
  throw new GyreError('bad_input', `"${text.slice(0, 200)}" is not a web address`, {
    field,
    fix: 'use a URL that starts with http:// or https://',
  });
}

async function bodyOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    parts.push(part as Uint8Array);
    bytes += (part as Uint8Array).length;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(parts).toString('utf8');
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
