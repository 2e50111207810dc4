import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { GyreError } from '@gyre/protocol';
import { beforeEach, expect, test } from 'vitest';
import { Connection } from './connection.js';
import { dispatchPageEvent, type PageEventHandlers, type PageEventName } from './pageEvent.js';
import { mutated, numbers } from '../isolation/peer/hostile.test.support.js';
import { Violation } from '../isolation/peer/violation.js';

const [firstTarget, secondTarget] = ['A1'.repeat(16), 'B2'.repeat(16)] as const;

interface Heard {
  readonly events: string[];
  readonly failures: GyreError[];
}

let into: PassThrough;
let broken: GyreError[];
let connection: Connection;
beforeEach(() => {
  into = new PassThrough();
  broken = [];
  connection = new Connection(new PassThrough().resume(), into, (reason) => broken.push(reason));
});

function hear(target: string, maxEventBytes = 2 ** 24): Heard {
  const heard: Heard = { events: [], failures: [] };
  connection.listen(target, {
    hear: (method) => heard.events.push(method),
    fail: (reason) => heard.failures.push(reason),
    maxEventBytes,
  });
  return heard;
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
const say = (message: object) => into.write(`${JSON.stringify(message)}\0`);

async function sayLong(begin: string, bytes: number, end: string): Promise<void> {
  const piece = Buffer.alloc(2 ** 20, 'x');
  into.write(begin);
  for (let sent = 0; sent < bytes; sent += piece.length) {
    if (!into.write(piece)) await new Promise((resolve) => into.once('drain', resolve));
  }
  into.write(`${end}\0`);
  await settled();
}

const endOf = (target: string) => `"}]},"sessionId":"${target}"}`;
const consoleLine = '{"method":"Runtime.consoleAPICalled","params":{"args":[{"value":"';

test('an event that is too large ends the target that has sent it, and no other', async () => {
  const [guilty, neighbour] = [hear(firstTarget), hear(secondTarget)];
  await sayLong(consoleLine, 100 * 2 ** 20, endOf(firstTarget));
  say({ method: 'x', sessionId: firstTarget });
  say({ method: 'y', sessionId: secondTarget });
  await settled();
  expect(guilty).toMatchObject({ events: [], failures: [{ code: 'infra', detail: { part: 'page' } }] });
  expect(neighbour).toEqual({ events: ['y'], failures: [] });
  expect(broken).toEqual([]);
});

test("an event above its target's limit ends that target only", async () => {
  const [guilty, neighbour] = [hear(firstTarget, 2 ** 21), hear(secondTarget)];
  await sayLong(consoleLine, 2 ** 22, endOf(firstTarget));
  await sayLong(consoleLine, 2 ** 22, endOf(secondTarget));
  expect(guilty).toMatchObject({ events: [], failures: [{ code: 'infra', detail: { part: 'page' } }] });
  expect(neighbour).toEqual({ events: ['Runtime.consoleAPICalled'], failures: [] });
});

test('an answer that is too large fails its command and its target', async () => {
  const [guilty, neighbour] = [hear(firstTarget), hear(secondTarget)];
  const evaluation = connection.send('Runtime.evaluate', {}, firstTarget);
  const others = connection.send('Page.enable', {}, secondTarget);
  const failed = expect(evaluation).rejects.toMatchObject({ code: 'infra', detail: { part: 'page' } });
  await sayLong('{"id":1,"result":{"a":[{"b":"', 260 * 2 ** 20, endOf(firstTarget));
  say({ id: 2, result: {}, sessionId: secondTarget });
  expect(await others).toEqual({});
  await failed;
  expect([guilty.failures.length, neighbour.failures.length]).toEqual([1, 0]);
});

test('a target that sends events without end is ended, and no other', async () => {
  const [guilty, neighbour] = [hear(firstTarget), hear(secondTarget)];
  const events = Buffer.from(`${JSON.stringify({ method: 'x', params: {}, sessionId: firstTarget })}\0`.repeat(1_000));
  for (let times = 0; times < 150; times++) into.write(events);
  say({ method: 'y', sessionId: secondTarget });
  await settled();
  expect(guilty.failures).toMatchObject([
    { code: 'infra', message: expect.stringContaining('exceeded its rate limit') },
  ]);
  expect(neighbour).toEqual({ events: ['y'], failures: [] });
});

test('an error in a listener ends its target, as a bug if it is not a violation', async () => {
  const failures: GyreError[] = [];
  for (const [target, error] of [
    [firstTarget, new Violation('sent nonsense')],
    [secondTarget, new TypeError('x is undefined')],
  ] as const) {
    connection.listen(target, {
      hear: () => {
        throw error;
      },
      fail: (reason) => failures.push(reason),
      maxEventBytes: 1_000,
    });
    say({ method: 'x', sessionId: target });
  }
  await settled();
  expect(failures.map(({ code }) => code)).toEqual(['infra', 'bug']);
  expect(broken).toEqual([]);
});

const valid = [
  { id: 1, result: { targetId: 'T', entries: [{ id: 1 }] }, sessionId: firstTarget },
  { id: 2, error: { code: -32000, message: 'refused' } },
  { method: 'Page.frameNavigated', params: { frame: { id: 'F', loaderId: 'L' } }, sessionId: firstTarget },
  {
    method: 'Runtime.consoleAPICalled',
    params: { type: 'log', args: [{ type: 'string', value: 'x' }] },
    sessionId: firstTarget,
  },
  { method: 'Target.attachedToTarget', params: { sessionId: firstTarget, targetInfo: { targetId: 'T' } } },
].map((message) => Buffer.from(`${JSON.stringify(message)}\0`));

test('whatever a browser sends, nothing is thrown out of the handler, and its end is infra', async () => {
  let messages = 0;
  for (let seed = 0; seed < 400; seed++) {
    const next = numbers(seed);
    into = new PassThrough();
    broken = [];
    connection = new Connection(new PassThrough().resume(), into, (reason) => broken.push(reason));
    const heard = hear(firstTarget);
    const replies = [connection.send('Page.enable', {}, firstTarget), connection.send('Browser.getVersion')].map(
      (each) => each.catch((error: unknown) => error),
    );
    for (let times = 0; times < 20; times++, messages++) {
      const message = valid[Math.floor(next() * valid.length)]!;
      into.write(next() < 0.5 ? message : mutated(message, next));
    }
    await new Promise(setImmediate);
    connection.close(new GyreError('infra', 'over', { part: 'browser' }));
    await Promise.all(replies);
    for (const { code } of [...broken, ...heard.failures]) expect(code).toBe('infra');
  }
  expect(messages).toBe(8_000);
});

test('whatever an event of a page looks like, it is handled or refused', () => {
  const names = [
    'Page.frameNavigated',
    'Page.frameRequestedNavigation',
    'Page.frameStoppedLoading',
    'Page.javascriptDialogOpening',
    'Fetch.requestPaused',
    'Runtime.consoleAPICalled',
    'Runtime.exceptionThrown',
    'Input.dragIntercepted',
  ] as const satisfies PageEventName[];
  const handlers = Object.fromEntries(names.map((name) => [name, () => undefined])) as unknown as PageEventHandlers;
  fc.assert(
    fc.property(fc.constantFrom(...names, 'toString', 'x'), fc.jsonValue(), (name, params) => {
      try {
        dispatchPageEvent(handlers, name, params);
      } catch (error) {
        expect(error).toBeInstanceOf(Violation);
      }
    }),
    { numRuns: 5_000, seed: 45 },
  );
});
