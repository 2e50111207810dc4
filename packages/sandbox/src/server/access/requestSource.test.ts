import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLoopback, type OpenToPages, RequestSource, type Sent } from './requestSource.js';

const localPort = 8700;

function request(
  headers: Record<string, string>,
  socket: Sent['socket'] = { localAddress: '127.0.0.1', localPort },
): Sent {
  const allHeaders = { host: `127.0.0.1:${localPort}`, ...headers };
  return { method: 'GET', headers: allHeaders, rawHeaders: Object.entries(allHeaders).flat(), socket };
}

const here = new RequestSource({ host: '127.0.0.1' });
const refused = (headers: Record<string, string>, open?: OpenToPages) =>
  here.refusal(request(headers), open) !== undefined;

describe('the host of a request', () => {
  it.each([
    '127.0.0.1:8700',
    'localhost:8700',
    'LOCALHOST:8700',
    '127.1.2.3:8700',
    '[::1]:8700',
    '[::ffff:127.0.0.1]:8700',
  ])('is the server’s own: %s', (host) => expect(refused({ host })).toBe(false));

  it.each([
    ...[
      'evil.example',
      'evil.example:8700',
      '127.0.0.1',
      '127.0.0.1:8701',
      'localhost',
      'localhost.:8700',
      '0.0.0.0:8700',
    ],
    ...['127.0.0.1.evil.example:8700', 'localhost.evil.example:8700', '127.0.0.1@evil.example:8700', '127.1:8700'],
    ...[
      '2130706433:8700',
      '0x7f000001:8700',
      '[::]:8700',
      '192.168.1.5:8700',
      '169.254.169.254:8700',
      '',
      ' ',
      'localhost:8700/',
    ],
    ...['localhost:08700000', 'localhost:8700, evil.example', '127.0.0.1:8700#x', 'lоcalhost:8700', 'loopback:8700'],
  ])('is foreign: %j', (host) => expect(refused({ host })).toBe(true));

  it('is refused if there are none or two, of which Node keeps one', () => {
    const two = { ...request({}), rawHeaders: ['Host', '127.0.0.1:8700', 'host', 'evil.example'] };
    expect(here.refusal(two)).toBeDefined();
    expect(here.refusal({ ...request({}), rawHeaders: [] })).toBeDefined();
  });

  it('is refused unless the operator allows it', () => {
    const named = new RequestSource({ host: '0.0.0.0', allowHosts: ['Gyre.Example', 'other.example:443'] });
    fc.assert(
      fc.property(fc.domain(), fc.integer({ min: 1, max: 65_535 }), (name, port) => {
        expect(named.refusal(request({ host: `${name}:${port}` }))).toBeDefined();
      }),
      { numRuns: 2_000 },
    );
    for (const host of ['gyre.example', 'GYRE.example:1', 'other.example:443', '0.0.0.0:8700'])
      expect(named.refusal(request({ host })), host).toBeUndefined();
    expect(named.refusal(request({ host: 'other.example:444' }))).toBeDefined();
    // An IP address cannot be rebound.
    const socket = { localAddress: '::ffff:192.168.1.5', localPort };
    expect(named.refusal(request({ host: '192.168.1.5:8700' }, socket))).toBeUndefined();
    expect(named.refusal(request({ host: '192.168.1.6:8700' }, socket))).toBeDefined();
  });

  it('never crashes the check, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (host, origin) => {
        expect(refused({ host, origin })).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('a page', () => {
  it.each([
    ...['http://evil.example', 'https://evil.example', 'null', 'http://localhost:3000', 'http://127.0.0.1', 'file://'],
    ...[
      'http://localhost:8700',
      'http://127.0.0.1:8700.evil.example',
      'chrome-extension://abc',
      'http://127.0.0.1:8700@evil.example',
    ],
    ...['', 'undefined', 'ws://127.0.0.1:8700', 'http://127.0.0.1:87000'],
  ])('of %j may not use the server', (origin) => expect(refused({ origin })).toBe(true));

  it('of the server itself or of the operator may use it', () => {
    expect(refused({ origin: 'http://127.0.0.1:8700', 'sec-fetch-site': 'same-origin' })).toBe(false);
    const open = new RequestSource({ host: '127.0.0.1', allowOrigins: ['https://studio.example/'] });
    expect(open.refusal(request({ origin: 'https://studio.example', 'sec-fetch-site': 'cross-site' }))).toBeUndefined();
    expect(open.refusal(request({ origin: 'http://studio.example' }))).toBeDefined();
    expect(open.refusal(request({ origin: 'https://studio.example.evil.example' }))).toBeDefined();
  });

  it.each(['cross-site', 'same-site'])('that sends no origin is known by its site: %s', (site) => {
    const image = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
    expect(refused(image)).toBe(true);
    const link = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(refused(link)).toBe(true);
    expect(refused(link, { navigable: true })).toBe(false);
    expect(refused({ ...link, 'sec-fetch-dest': 'iframe' }, { navigable: true })).toBe(true);
    expect(refused({ ...link, origin: 'null' }, { anyOrigin: true })).toBe(false);
    expect(refused({ ...link, host: 'evil.example:8700' }, { anyOrigin: true })).toBe(true);
  });
});

it('detects loopback addresses', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', 'LocalHost', '::1', '::ffff:127.0.0.1'])
    expect(isLoopback(host), host).toBe(true);
  for (const host of [
    '0.0.0.0',
    '::',
    '',
    '192.168.1.5',
    '127.1',
    '127.0.0.1.evil.example',
    '::ffff:10.0.0.1',
    'localhost.evil',
    '10.127.0.1',
  ])
    expect(isLoopback(host), host).toBe(false);
});

it.each([
  [{ allowHosts: ['http://gyre.example'] }, '--allow-host'],
  [{ allowHosts: ['*'] }, '--allow-host'],
  [{ allowOrigins: ['*'] }, '--allow-origin'],
  [{ allowOrigins: ['null'] }, '--allow-origin'],
  [{ allowOrigins: ['https://studio.example/path'] }, '--allow-origin'],
])('refuses an operator’s %j', (options, field) => {
  expect(() => new RequestSource({ host: '127.0.0.1', ...options })).toThrow(
    expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field }) as object }) as Error,
  );
});
