import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserContext, Cookie, Route as PageRoute } from 'playwright-core';
import { jsonFields, numberField, textField } from '../../served/request.js';
import type { AttachedBrowser, TrackedRequest } from './attachedBrowser.js';
import type { SessionPaths } from '../files/paths.js';
import {
  done,
  missing,
  optionalRecord,
  optionalText,
  refuse,
  Unsuccessful,
  type Fields,
  type Routes,
} from '../route.js';

type RouteWork = (route: PageRoute) => Promise<void>;
type NewCookie = Parameters<BrowserContext['addCookies']>[0][number];

const captchaFrames: readonly (readonly [string, RegExp])[] = [
  ['recaptcha', /(google\.com|recaptcha\.net)\/recaptcha\/(api2|enterprise)\/(anchor|bframe)/],
  ['hcaptcha', /hcaptcha\.com\/captcha/],
  ['turnstile', /challenges\.cloudflare\.com/],
  ['arkose', /arkoselabs\.com|funcaptcha\.com/],
  ['geetest', /geetest\.com/],
];

const refusedProxy = () =>
  missing('proxy that can be set', 'start the server with --reach for hosts, and --forward for ports');

/** Serves tabs, cookies, state, network, captchas and the proxy. */
export function contextRoutes(attached: AttachedBrowser, paths: SessionPaths): Routes {
  const routed = new Map<string, RouteWork>();

  return {
    'GET /v1/browser/tabs': async () => {
      const [pages, active] = [await attached.pages(), await attached.page()];
      const tabs = pages.map(async (page, index) => ({
        index,
        url: page.url(),
        title: await page.title(),
        active: page === active,
      }));
      return done(await Promise.all(tabs));
    },
    'POST /v1/browser/tabs': async (request) => {
      const url = optionalText(request.body?.length ? await jsonFields(request) : {}, 'url');
      const page = await attached.open();
      if (url) await page.goto(url);
      return done({ index: (await attached.pages()).indexOf(page), url: page.url() });
    },
    'DELETE /v1/browser/tabs/:index': async (_, { index = '' }) => {
      const page = await attached.tab(Number(index));
      if (Number(index) === 0) throw new Unsuccessful('the first tab belongs to the session and cannot be closed');
      await page.close();
      return done(null);
    },
    'PUT /v1/browser/tabs/:index/activate': async (_, { index = '' }) => {
      await attached.activate(await attached.tab(Number(index)));
      return done(null);
    },
    'GET /v1/browser/cookies': async ({ query = {} }) => {
      const urls = query.urls?.split(',').map((url) => url.trim());
      return done(await (await attached.context()).cookies(urls));
    },
    'POST /v1/browser/cookies': async (request) => {
      const { cookies } = await jsonFields(request);
      if (!Array.isArray(cookies)) return refuse('cookies', 'use a list of cookies');
      await (await attached.context()).addCookies(cookies as NewCookie[]);
      return done(null);
    },
    'DELETE /v1/browser/cookies': async () => {
      await (await attached.context()).clearCookies();
      return done(null);
    },
    'POST /v1/browser/state/save': async (request) => {
      const path = textField(await jsonFields(request), 'path');
      await paths.write(path, JSON.stringify(await (await attached.context()).storageState(), null, 2));
      return done({ path });
    },
    'POST /v1/browser/state/load': async (request) => {
      const path = textField(await jsonFields(request), 'path');
      const context = await attached.context();
      await context.setStorageState(parsedState(await paths.text(path), path));
      return done({ path });
    },
    'POST /v1/browser/network/headers': async (request) => {
      const headers =
        optionalRecord(await jsonFields(request), 'headers') ?? refuse('headers', 'use an object of strings');
      await (await attached.context()).setExtraHTTPHeaders({ ...headers });
      return done(null);
    },
    'POST /v1/browser/network/scoped_headers': async (request) => {
      const fields = await jsonFields(request);
      const origin = textField(fields, 'origin').replace(/\/$/, '');
      const headers = optionalRecord(fields, 'headers') ?? refuse('headers', 'use an object of strings');
      await replaceRoute(`${origin}/**`, (route) =>
        route.fallback({ headers: { ...route.request().headers(), ...headers } }),
      );
      return done(null);
    },
    'POST /v1/browser/network/route': async (request) => {
      const fields = await jsonFields(request);
      const pattern = textField(fields, 'url_pattern');
      await replaceRoute(pattern, fields.abort === true ? (route) => route.abort() : fulfilling(fields));
      return done(null);
    },
    'DELETE /v1/browser/network/route': async (request) => {
      const pattern = textField(await jsonFields(request), 'url_pattern');
      const work = routed.get(pattern);
      if (work === undefined) throw new Unsuccessful(`there is no route ${JSON.stringify(pattern)}`);
      routed.delete(pattern);
      await (await attached.context()).unroute(pattern, work);
      return done(null);
    },
    'GET /v1/browser/network/requests': async ({ query = {} }) => {
      await attached.page();
      const { filter = '', limit = '100' } = query;
      const requests = attached.requests.filter(({ url }) => url.includes(filter));
      return done(requests.slice(-(Number(limit) || 100)));
    },
    'POST /v1/browser/network/export_har': async (request) => {
      const path = textField(await jsonFields(request), 'save_path');
      await attached.page();
      await paths.write(path, JSON.stringify(harOf(attached.requests), null, 2));
      return done({ path, count: attached.requests.length });
    },
    'GET /v1/browser/captcha/detect': async () => {
      const kind = await captcha();
      return done({ detected: kind !== undefined, type: kind ?? null });
    },
    'POST /v1/browser/captcha/wait': async (request) => {
      const fields = await jsonFields(request);
      const deadline = performance.now() + (numberField(fields, 'timeout') ?? 60) * 1_000;
      const pollMs = Math.max(0.1, numberField(fields, 'poll_interval') ?? 2) * 1_000;
      let isThere = (await captcha()) !== undefined;
      for (; isThere && performance.now() < deadline; isThere = (await captcha()) !== undefined) await pause(pollMs);
      return done({ resolved: !isThere });
    },
    'POST /v1/browser/restart': async (request) => {
      const fields = request.body?.length ? await jsonFields(request) : {};
      if (fields.mode === 'hard' || fields.url_allowlist || fields.url_blocklist || fields.locale) {
        missing('browser that starts anew with other terms', 'restart it with mode soft, or start another server');
      }
      await attached.detach();
      await attached.page();
      return done(null);
    },
    'GET /v1/browser/proxy.pac': () => missing('PAC file', 'its browser needs none, because its proxy is fixed'),
    'GET /v1/proxy/mappings': () => done([]),
    'POST /v1/proxy/mappings': refusedProxy,
    'DELETE /v1/proxy/mappings/:source': refusedProxy,
    'GET /v1/proxy/excludes': () => done([]),
    'POST /v1/proxy/excludes': refusedProxy,
    'DELETE /v1/proxy/excludes': refusedProxy,
    'GET /v1/proxy/diagnose': refusedProxy,
    'GET /v1/proxy/upstream': () => done(null),
    'PUT /v1/proxy/upstream': refusedProxy,
    'DELETE /v1/proxy/upstream': refusedProxy,
  };

  async function replaceRoute(pattern: string, work: RouteWork): Promise<void> {
    const context = await attached.context();
    const earlier = routed.get(pattern);
    if (earlier) await context.unroute(pattern, earlier);
    await context.route(pattern, work);
    routed.set(pattern, work);
  }

  async function captcha(): Promise<string | undefined> {
    const page = await attached.page();
    for (const frame of page.frames().slice(1)) {
      const [kind] = captchaFrames.find(([, pattern]) => pattern.test(frame.url())) ?? [];
      if (kind === undefined) continue;
      const element = await frame.frameElement();
      if (await element.isVisible()) return kind;
    }
    return undefined;
  }
}

function fulfilling(fields: Fields): RouteWork {
  const response = (fields.response ?? {}) as Fields;
  const [body, contentType] = [optionalText(response, 'body') ?? '', optionalText(response, 'content_type')];
  const headers = optionalRecord(response, 'headers');
  const status = numberField(response, 'status') ?? 200;
  return (route) =>
    route.fulfill({
      status,
      body,
      ...(headers !== undefined && { headers: { ...headers } }),
      ...(contentType !== undefined && { contentType }),
    });
}

function parsedState(text: string, path: string): { cookies: Cookie[]; origins: [] } {
  try {
    return JSON.parse(text) as { cookies: Cookie[]; origins: [] };
  } catch {
    throw new Unsuccessful(`${path} is not a browser state file`);
  }
}

function harOf(requests: readonly TrackedRequest[]): object {
  const list = (record: Readonly<Record<string, string>>) =>
    Object.entries(record).map(([name, value]) => ({ name, value }));
  const entries = requests.map((request) => {
    const sizes = { cookies: [], headersSize: -1, bodySize: -1, httpVersion: 'HTTP/1.1' };
    const time = request.duration_ms ?? 0;
    return {
      startedDateTime: request.timestamp,
      time,
      request: {
        ...sizes,
        method: request.method,
        url: request.url,
        headers: list(request.request_headers),
        queryString: URL.canParse(request.url) ? list(Object.fromEntries(new URL(request.url).searchParams)) : [],
      },
      response: {
        ...sizes,
        status: request.status ?? 0,
        statusText: request.failure ?? request.status_text,
        headers: list(request.response_headers),
        redirectURL: request.response_headers.location ?? '',
        content: { size: -1, mimeType: request.response_headers['content-type'] ?? '' },
      },
      cache: {},
      timings: { send: 0, wait: time, receive: 0 },
    };
  });
  return { log: { version: '1.2', creator: { name: 'gyre', version: '1' }, entries } };
}
