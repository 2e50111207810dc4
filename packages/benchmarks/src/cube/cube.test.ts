import { type AgentAction, type Environment, GyreError } from '@gyre/protocol';
import type { AnyInstance, TaskFamily } from '@gyre/tasks';
import fc from 'fast-check';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { openCube } from './benchmark.js';
import { type CubeDoubleOptions, CubeServerDouble } from './double/cubeServer.test.fixture.js';
import { Observation, screenOf, textOf } from './observation.js';
import { CubeServer } from './rpc.js';

const call = (tool: string, server = 'cube'): AgentAction => ({ type: 'mcp_tool', server, tool, arguments: {} });

async function opened(options: CubeDoubleOptions = {}) {
  const double = await CubeServerDouble.start(options);
  onTestFinished(() => double.stop());
  const benchmark = await openCube({ url: double.url });
  const family = Object.values(benchmark.suite)[0] as TaskFamily<AnyInstance>;
  const open = (): Environment => family.open!(family.create('test', 0), {} as never);
  return { double, benchmark, family, open };
}

test('tasks of a server are listed, played by their tools, and judged by the server', async () => {
  const { double, benchmark, family, open } = await opened();
  expect(benchmark).toMatchObject({ name: 'cube.count-cube', total: 1, revision: 'count-cube 1.0 at a CUBE server' });
  expect(family.create('test', 0).task.stepBudget).toBe(5);
  const environment = open();
  const frame = await environment.reset();
  expect(frame.size).toEqual({ width: 160, height: 160 });
  expect(environment.task.instruction).toBe('Count to 3.');
  expect((await environment.tools!()).map(({ server, name }) => `${server} ${name}`)).toEqual(['cube increment']);
  const step = await environment.step([call('increment'), call('increment')]);
  expect(step).toMatchObject({ done: false, reward: 0, results: [{ text: 'count: 1' }, { text: 'count: 2' }] });
  expect(await environment.step([call('increment')])).toMatchObject({ done: true, reward: 1 });
  const verdict = await environment.verdict();
  expect(verdict).toMatchObject({ success: true, score: 1, evidence: { official: 'count-to-3', reward: 1 } });
  expect(JSON.stringify([environment.task, step, verdict])).not.toContain('secret');
  await environment.close();
  await environment.close();
  expect(double.calls.filter((method) => method === 'cube/close')).toHaveLength(1);
});

test('finished ends the episode at the server', async () => {
  const { double, open } = await opened();
  const environment = open();
  await environment.reset();
  expect(await environment.step([{ type: 'finished' }])).toMatchObject({ done: true });
  expect(double.calls).toContain('cube/step final_step');
  expect(await environment.verdict()).toMatchObject({ success: false, score: 0 });
  await environment.close();
});

const click: AgentAction = { type: 'click', point: { x: 0.5, y: 0.5 } };

test.each([
  [call('decrement'), /no tool cube decrement \(use the server cube and one of increment/],
  [call('increment', 'other'), /no tool other increment/],
  [click, /a CUBE task has no action click/],
])('an action that a task lacks is refused, and loses nothing: %j', async (action, words) => {
  const { double, open } = await opened();
  const environment = open();
  await environment.reset();
  const { results, done } = await environment.step([action]);
  expect(results).toMatchObject([{ kind: 'refused', text: expect.stringMatching(words) as string }]);
  expect(done).toBe(false);
  expect(double.calls.filter((method) => method.startsWith('cube/step'))).toEqual([]);
  await environment.close();
});

test.each(['cube/info', 'cube/task_configs'])(
  'a benchmark that fails in %s is an infrastructure fault',
  async (fails) => {
    await expect(opened({ fails })).rejects.toMatchObject({ code: 'infra', detail: { part: 'benchmark' } });
  },
);

test.each(['cube/reset', 'cube/step', 'cube/evaluate'])('a task that fails in %s is no score', async (fails) => {
  const { open } = await opened({ fails });
  const environment = open();
  const play = async () => {
    await environment.reset();
    await environment.step([call('increment')]);
    await environment.verdict();
  };
  await expect(play()).rejects.toMatchObject({ code: 'infra', message: expect.stringContaining('is gone') as string });
  await environment.close();
});

test('pictures are the screen', async () => {
  const png = await sharp({ create: { width: 64, height: 32, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const picture = `data:image/png;base64,${png.toString('base64')}`;
  const { open } = await opened({ contents: [{ name: 'screenshot', data: picture }, { data: { url: 'x' } }] });
  const environment = open();
  expect(await environment.reset()).toMatchObject({ size: { width: 64, height: 32 } });
  expect(environment.task.instruction).toBe('{"url":"x"}');
  await environment.close();
});

test('any contents are read, or are an infrastructure fault', () => {
  const data = fc.oneof(
    fc.anything(),
    fc.string(),
    fc.base64String().map((text) => `data:image/png;base64,${text}`),
  );
  fc.assert(
    fc.property(fc.array(fc.record({ name: fc.option(fc.string()), data })), (contents) => {
      const observation = Observation.parse({ contents });
      expect(textOf(observation).length).toBeLessThan(17_000);
      try {
        const frame = screenOf(observation);
        if (frame) expect(frame.size.width).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(GyreError);
        expect((error as GyreError).code).toBe('infra');
      }
    }),
  );
});

test('a URL that is none is refused, and a server that does not answer named', async () => {
  expect(() => new CubeServer('file:///etc/passwd')).toThrow('is no HTTP URL');
  await expect(openCube({ url: 'http://127.0.0.1:9' })).rejects.toMatchObject({
    code: 'infra',
    message: expect.stringContaining('http://127.0.0.1:9 does not answer') as string,
  });
});
