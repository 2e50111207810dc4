import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BrowserPool, recordHar } from '../../index.js';

const form = `<title>form</title><body style="margin:0"><form method=post action=/save><input name=title value="a b">
<button style="position:fixed;left:0;top:0;width:200px;height:200px">save</button></form>`;

let pool: BrowserPool;
let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    switch (request.url) {
      case '/':
        response.writeHead(302, { location: '/form?from=home', 'set-cookie': ['a=1; Path=/', 'b=2'] }).end();
        return;
      case '/save':
        response.writeHead(303, { location: '/saved' }).end();
        return;
      case '/totals':
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"count":1}');
        return;
      case '/missing.png':
        response.writeHead(404).end();
        return;
      case '/saved':
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end('saved<img src=/missing.png><script>fetch("/totals");window.open("/popup")</script>');
        return;
      default:
        response.writeHead(200, { 'content-type': 'text/html' }).end(form);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  pool = await BrowserPool.launch({ clock: 'free', network: 'any' });
});
afterAll(async () => {
  await pool.close();
  server.close();
});

test('records redirects, cookies, posted forms and failures, with the headers of the wire', async () => {
  const session = await pool.lease({ size: { width: 320, height: 240 } });
  const recording = await recordHar(session.browser);
  await session.browser.navigate(`${origin}/`);
  await session.screen.act({ type: 'click', point: { x: 0.1, y: 0.1 } });
  await expect.poll(() => session.browser.page.url, { timeout: 10_000 }).toMatch(/saved|popup/);
  await pause(500);
  const { log } = await recording.read();
  const find = (path: string) => log.entries.find(({ request }) => request.url === `${origin}${path}`)!;

  const home = find('/');
  expect(home.response).toMatchObject({
    status: 302,
    redirectURL: '/form?from=home',
    cookies: [
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
    ],
  });
  const page = find('/form?from=home');
  expect(page.request).toMatchObject({ method: 'GET', queryString: [{ name: 'from', value: 'home' }] });
  expect(page.request.cookies.map(({ name }) => name).sort()).toEqual(['a', 'b']);
  const dest = page.request.headers.find(({ name }) => name.toLowerCase() === 'sec-fetch-dest');
  expect(dest?.value).toBe('document');

  const save = find('/save');
  expect(save.request.postData).toEqual({
    mimeType: 'application/x-www-form-urlencoded',
    text: 'title=a+b',
    params: [],
  });
  expect(save.response).toMatchObject({ status: 303, redirectURL: '/saved' });
  expect(find('/missing.png').response.status).toBe(404);
  expect(find('/totals').response.content).toMatchObject({ mimeType: 'application/json', text: '{"count":1}' });
  const times = log.entries.map(({ startedDateTime }) => startedDateTime);
  expect(times).toEqual(times.toSorted());

  await recording.close();
  await expect(recording.read()).rejects.toMatchObject({ code: 'infra' });
  await session.release();
});

test('refuses a stepped clock', async () => {
  const stepped = await BrowserPool.launch();
  const session = await stepped.lease({ size: { width: 320, height: 240 } });
  await expect(recordHar(session.browser)).rejects.toMatchObject({ code: 'bad_input' });
  await stepped.close();
});
