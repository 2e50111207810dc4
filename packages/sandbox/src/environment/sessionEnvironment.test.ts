import type { AgentAction, PixelBox, Point, Reading, Task } from '@gyre/protocol';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { BrowserPool } from '../browser/pool.js';
import type { Session } from '../lease/session.js';
import type { Machines, SessionNeeds } from './machines.js';
import { SessionEnvironment, type SessionEnvironmentOptions } from './sessionEnvironment.js';
import type { Verifier } from './verifier.js';

const press = { type: 'click', point: { x: 0.5, y: 0.5 } } satisfies AgentAction;
const task: Task = {
  id: 'press/train/1',
  family: 'press',
  split: 'train',
  seed: 1,
  instruction: 'press the page',
  surfaces: ['screen'],
  screen: { width: 160, height: 160 },
  stepBudget: 4,
};

/** Opens a page that pays 1 per press. */
async function setUp(session: Session): Promise<Verifier> {
  const html = '<body style="height:100vh;margin:0"><script>onclick = () => document.body.append("x")</script>';
  await session.browser!.open({ html, seed: 1 });
  return verifierOf(session);
}

function verifierOf(session: Session): Verifier {
  const presses = () => session.browser!.evaluate<number>('document.body.innerText.length');
  let paid = 0;
  return {
    task: { ...task, instruction: 'press it' },
    step: async (finished) => {
      const reward = (await presses()) - paid;
      paid += reward;
      return { reward, done: finished?.answer === 'done' };
    },
    verdict: async () => ({ success: (await presses()) > 0, score: 1, source: 'verifier', evidence: {} }),
    oracle: () => Promise.resolve({ actions: [press] }),
  };
}

let pool: BrowserPool;
beforeAll(async () => {
  pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 2 });
});
afterAll(() => pool.close());

function open(options: Partial<SessionEnvironmentOptions> = {}, more: Partial<Machines> = {}) {
  const leases: SessionNeeds[] = [];
  const lease = (needs: SessionNeeds) => {
    leases.push(needs);
    return pool.lease(needs);
  };
  const environment = new SessionEnvironment({ task, machines: { lease, ...more }, setUp, ...options });
  onTestFinished(() => environment.close());
  return { environment, leases };
}

test('a task is played from reset to the verdict', async () => {
  const { environment, leases } = open();
  expect(environment.task).toEqual(task);
  expect(leases).toEqual([]);
  const first = await environment.reset();
  expect(environment.task.instruction).toBe('press it');
  const { actions } = await environment.oracle();
  const seen: string[] = [];
  const step = await environment.step([...actions, press], { onObservation: ({ hash }) => seen.push(hash) });
  expect(step).toMatchObject({ reward: 2, done: false, actions: [press, press], results: [] });
  expect(step.observation.hash).not.toBe(first.hash);
  expect(seen).toEqual([step.observation.hash]);
  expect(await environment.observe()).toMatchObject({ hash: step.observation.hash });
  expect(await environment.step([])).toMatchObject({ reward: 0, done: false });
  expect(await environment.step([{ type: 'call_user' }])).toMatchObject({ done: true });
  expect(await environment.step([{ type: 'finished', answer: 'done' }])).toMatchObject({ done: true });
  expect(await environment.verdict()).toMatchObject({ success: true });
});

test('a page is used again by the next reset, which starts from the beginning; a fresh one is leased alone', async () => {
  const { environment, leases } = open();
  const { hash } = await environment.reset();
  await environment.step([press]);
  expect(await environment.reset()).toMatchObject({ hash });
  expect(leases).toHaveLength(1);
  expect(await environment.reset({ fresh: true })).toMatchObject({ hash });
  expect(leases.map(({ alone }) => alone)).toEqual([undefined, true]);
  await environment.close();
  await environment.close();
  expect(pool.stats.leased).toBe(0);
});

test('SDK calls are refused without an SDK', async () => {
  const { environment } = open();
  await environment.reset();
  const step = await environment.step([{ type: 'execute_bash', command: 'ls' }, press]);
  expect(step).toMatchObject({ reward: 0, results: [{ kind: 'refused' }], refusal: { code: 'bad_input' } });
});

test('the SDK of the machines carries out calls, adds its surfaces and lists its tools', async () => {
  const tool = { server: 'files', name: 'read', inputSchema: {} };
  const sdk: Machines['sdk'] = {
    surfaces: ['search'],
    call: (call, { surfaces }) => Promise.resolve(`${call.type} by ${surfaces.join(' and ')}`),
    tools: () => Promise.resolve([tool]),
  };
  const { environment } = open({}, { sdk });
  await environment.reset();
  expect(environment.task.surfaces).toEqual(['screen', 'search']);
  const { results } = await environment.step([{ type: 'search', query: 'kettles' }]);
  expect(results).toEqual([{ kind: 'output', text: 'search by screen and search' }]);
  expect(await environment.tools()).toEqual([tool]);
});

test('without a set-up there is no reward, no verdict and no oracle', async () => {
  const { environment } = open({ setUp: undefined });
  await environment.reset();
  expect(await environment.step([press])).toMatchObject({ reward: 0, done: false });
  expect(await environment.verdict()).toBeUndefined();
  await expect(environment.oracle()).rejects.toMatchObject({ code: 'bad_input' });
});

test('nothing can be done before the first reset', async () => {
  const { environment } = open();
  await expect(environment.step([press])).rejects.toMatchObject({
    code: 'bad_input',
    detail: { field: 'environment' },
  });
});

const reading = (text: string): Reading => ({ reader: 'test', lines: [{ text, box, centres: [5] }] });
const box: PixelBox = { x: 0, y: 0, width: 10, height: 10 };

test('a reader reads every observation, after its page has settled', async () => {
  const read: SessionEnvironmentOptions['read'] = async (session, { hash }) =>
    reading(`${hash} ${await session.browser!.evaluate<number>('document.body.innerText.length')}`);
  const { environment } = open({ read });
  const textOf = ({ reading: seen }: { reading?: Reading | undefined }) => seen?.lines[0]?.text;
  const first = await environment.reset();
  expect(textOf(first)).toBe(`${first.hash} 0`);
  const { observation } = await environment.step([press]);
  expect(textOf(observation)).toBe(`${observation.hash} 1`);
  expect(textOf(await environment.observe())).toBe(`${observation.hash} 1`);
  const { environment: unread } = open({ read: () => Promise.resolve(undefined) });
  expect(await unread.reset()).not.toHaveProperty('reading');
});

test('the points of all attempted actions are located before the first', async () => {
  const located: { points: readonly Point[]; presses: number }[] = [];
  const locate: SessionEnvironmentOptions['locate'] = async (session, points) => {
    located.push({ points, presses: await session.browser!.evaluate<number>('document.body.innerText.length') });
    return points.map(({ x }) => ({ ...box, x }));
  };
  const { environment } = open({ locate });
  await environment.reset();
  const drag: AgentAction = { type: 'drag', start: { x: 0.1, y: 0.1 }, end: { x: 0.2, y: 0.1 } };
  const { targets } = await environment.step([press, drag]);
  expect(targets).toMatchObject([{ x: 0.5 }, { x: 0.1 }, { x: 0.2 }]);
  expect(located).toEqual([{ points: [press.point, drag.start, drag.end], presses: 0 }]);
  const call: AgentAction = { type: 'execute_bash', command: 'ls' };
  expect(await environment.step([press, call, press])).toMatchObject({ targets: [{ x: 0.5 }] });
  expect(await environment.step([{ type: 'wait' }])).toMatchObject({ targets: [] });
  expect(located).toHaveLength(2);
});

test('the advice is what the oracle would do, with its targets; without an oracle there is none', async () => {
  const { environment } = open();
  await environment.reset();
  expect(await environment.advise()).toEqual({ actions: [press] });
  await environment.close();
  const { environment: located } = open({ locate: () => Promise.resolve([box]) });
  await located.reset();
  expect(await located.advise()).toEqual({ actions: [press], targets: [box] });
  await located.close();
  const { environment: unjudged } = open({ setUp: undefined });
  await unjudged.reset();
  expect(await unjudged.advise()).toBeUndefined();
});

test('there is no advice while a dialog is open, which the oracle would cancel', async () => {
  const html = '<body style="height:100vh"><script>onclick = () => { document.body.append(prompt("ask")) }</script>';
  const { environment } = open({
    setUp: async (session) => {
      await session.browser!.open({ html, seed: 1 });
      // The usual one reads the page, which the dialog blocks.
      return { ...verifierOf(session), step: () => Promise.resolve({ reward: 0, done: false }) };
    },
  });
  await environment.reset();
  await environment.step([press]);
  expect(await environment.advise()).toBeUndefined();
  await environment.step([
    { type: 'type', text: 'a' },
    { type: 'hotkey', keys: 'enter' },
  ]);
  expect(await environment.advise()).toEqual({ actions: [press] });
});
