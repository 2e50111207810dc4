import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cookiesOf } from './harEntry.js';
import { HarLog } from './harLog.js';

const methods = [
  ...['requestWillBeSent', 'responseReceived', 'requestWillBeSentExtraInfo', 'responseReceivedExtraInfo'],
  ...['loadingFinished', 'loadingFailed', 'dataReceived'],
].map((name) => `Network.${name}`);

const headers = fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 });
const response = fc.record({
  url: fc.webUrl(),
  status: fc.integer(),
  statusText: fc.string(),
  headers,
  mimeType: fc.string(),
});
const params = fc.record(
  {
    requestId: fc.constantFrom('1', '2'),
    request: fc.record({ url: fc.string(), method: fc.string(), headers }),
    timestamp: fc.double(),
    wallTime: fc.double(),
    redirectResponse: response,
    response,
    hasExtraInfo: fc.boolean(),
    headers,
    encodedDataLength: fc.double(),
    errorText: fc.string(),
  },
  { requiredKeys: [] },
);

test('takes any events in any order, and always returns a HAR of JSON', () => {
  const event = fc.tuple(fc.constantFrom(...methods), fc.oneof(params, fc.jsonValue()));
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const log = new HarLog();
      for (const [method, each] of events) log.hear('tab', method, each);
      const { entries } = log.har().log;
      const sent = events.filter(([method]) => method === 'Network.requestWillBeSent');
      expect(entries.length).toBeLessThanOrEqual(sent.length);
      for (const { time, startedDateTime } of entries) {
        expect(time).toBeGreaterThanOrEqual(0);
        expect(new Date(startedDateTime).toISOString()).toBe(startedDateTime);
      }
    }),
  );
});

test('gives the headers of the wire to the hops that have them', () => {
  const log = new HarLog();
  const hop = (url: string, more: object = {}) =>
    log.hear('tab', 'Network.requestWillBeSent', {
      ...{ requestId: '1', request: { url, method: 'GET', headers: {} }, timestamp: 1, wallTime: 1, ...more },
    });
  const answer = (status: number) => ({ url: '', status, statusText: '', headers: {}, mimeType: '' });
  const extra = (name: string, value: string) =>
    log.hear('tab', `Network.${name}ExtraInfo`, { requestId: '1', headers: { cookie: value, location: value } });
  extra('requestWillBeSent', 'first=1');
  hop('http://a.test/first');
  extra('responseReceived', '/cached');
  hop('http://a.test/cached', { redirectResponse: answer(302), redirectHasExtraInfo: true });
  // A redirect out of the cache has none.
  hop('http://a.test/last', { redirectResponse: answer(301), redirectHasExtraInfo: false });
  extra('requestWillBeSent', 'last=1');
  log.hear('tab', 'Network.responseReceived', { requestId: '1', response: answer(200), hasExtraInfo: true });
  const seen = log
    .har()
    .log.entries.map(({ request, response: { status, redirectURL } }) => [
      ...[request.url.slice(13), status, redirectURL, request.cookies[0]?.name],
    ]);
  expect(seen).toEqual([
    ['/first', 302, '/cached', 'first'],
    ['/cached', 301, '', undefined],
    ['/last', 200, '', 'last'],
  ]);
});

test('keeps a number of requests, and says how many it dropped', () => {
  const log = new HarLog({ maxRequests: 2 });
  for (let id = 0; id < 5; id++) {
    const request = { url: 'http://a.test/', method: 'GET', headers: {} };
    log.hear('tab', 'Network.requestWillBeSent', { requestId: `${id}`, request, timestamp: id, wallTime: id });
  }
  expect(log.har().log).toMatchObject({ entries: { length: 2 }, comment: '3 later requests were dropped' });
});

test('reads printed cookies', () => {
  const word = fc.stringMatching(/^[a-z0-9]+$/);
  fc.assert(
    fc.property(fc.array(fc.record({ name: word, value: word })), (cookies) => {
      const text = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
      expect(cookiesOf(text)).toEqual(cookies);
    }),
  );
});
