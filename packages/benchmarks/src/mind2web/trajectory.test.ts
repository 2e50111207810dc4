import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentAction } from '@gyre/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Recording, type Seen } from './recording.js';
import { readTrajectory, TrajectoryResult, writeTrajectory } from './trajectory.js';

const task = { task_id: 'a1', confirmed_task: 'Buy it.', website: 'https://example.org/', reference_length: 4 };
const size = { width: 1280, height: 720 };
const seen = (name: string): Seen => ({
  frame: { png: Buffer.from(name), hash: name, size },
  url: `https://example.org/${name}`,
});

const coordinate = fc.double({ min: 0, max: 1, noNaN: true });
const point = fc.record({ x: coordinate, y: coordinate });
const action: fc.Arbitrary<AgentAction> = fc.oneof(
  fc.record({ type: fc.constant('click' as const), point }),
  fc.record({ type: fc.constant('type' as const), text: fc.string() }),
  fc.record({ type: fc.constant('navigate' as const), url: fc.webUrl() }),
  fc.constant({ type: 'wait' as const }),
  fc.constant({ type: 'screenshot' as const }),
);
const turn = fc.record({ actions: fc.array(action, { maxLength: 4 }), refused: fc.boolean() });
const ending = fc.option(
  fc.oneof(
    fc.constant({ type: 'call_user' as const }),
    fc.record({ type: fc.constant('finished' as const), answer: fc.string() }),
  ),
  { nil: undefined },
);

function record(turns: readonly { actions: AgentAction[]; refused: boolean }[], last?: AgentAction) {
  const recording = new Recording(task);
  for (const [index, { actions, refused }] of turns.entries()) recording.turn(actions, seen(`${index}`), refused);
  if (last) recording.turn([last], seen('end'), false);
  return recording.finish(seen('last'));
}

const episode = fc.tuple(fc.array(turn, { maxLength: 6 }), ending).map(([turns, last]) => record(turns, last));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-mind2web-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a trajectory of format v2', () => {
  test('has one step per action, with the screen before it, and the answer last', () => {
    const { result, screenshots } = record(
      [
        {
          actions: [
            { type: 'click', point: { x: 0.5, y: 0.5 } },
            { type: 'type', text: 'red' },
          ],
          refused: false,
        },
        { actions: [{ type: 'navigate', url: 'example.org/shop' }], refused: true },
      ],
      { type: 'finished', answer: ' The red\none. ' },
    );
    expect(result).toMatchObject({
      schema_version: 'online-mind2web-v2',
      task: 'Buy it.',
      agent_final_answer: 'The red\none.',
      reference_length: 4,
    });
    expect(result.action_history.map(({ action: text, url }) => [text, url])).toEqual([
      ['CLICK coords(640, 360) -> click | SUCCESS', 'https://example.org/0'],
      ['TYPE page -> type "red" | SUCCESS', 'https://example.org/0'],
      ['page -> NAVIGATE -> direct navigation | FAILED', 'https://example.org/shop'],
      ['TASK_COMPLETE -> ANSWER: The red one.', 'https://example.org/last'],
    ]);
    expect(screenshots.map(String)).toEqual(['0', '0', '1', 'last']);
  });

  test('is read back as it was written, whatever was done', async () => {
    await fc.assert(
      fc.asyncProperty(episode, async (trajectory) => {
        await writeTrajectory(folder, trajectory);
        expect(await readTrajectory(join(folder, 'a1'))).toEqual(trajectory.result);
        expect(trajectory.screenshots).toHaveLength(trajectory.result.action_history.length);
      }),
      { numRuns: 40 },
    );
  });

  const broken: [string, (result: TrajectoryResult) => object][] = [
    ['another version', (result) => ({ ...result, schema_version: 'online-mind2web-v3' })],
    ['a path as id', (result) => ({ ...result, task_id: 'tasks/a1' })],
    ['an unknown key', (result) => ({ ...result, thoughts: [] })],
    ['no steps', (result) => ({ ...result, action_history: [] })],
    ['no end', (result) => ({ ...result, action_history: result.action_history.slice(0, -1) })],
    ['another answer', (result) => ({ ...result, agent_final_answer: 'else' })],
    ['a gap', (result) => changed(result, (step) => ({ ...step, step: step.step + 1 }))],
    ['no thought', (result) => changed(result, ({ thought: _, ...step }) => step)],
    ['a path as screenshot', (result) => changed(result, (step) => ({ ...step, screenshot: '../0000.png' }))],
    ['another status', (result) => changed(result, (step) => ({ ...step, action_status: 'FAILED' }))],
    ['a status in the action alone', (result) => changed(result, (step) => ({ ...step, action_status: null }))],
  ];
  test.each(broken)('with %s is refused', (_, change) => {
    fc.assert(
      fc.property(fc.nat({ max: 3 }), (count) => {
        const turns = Array.from({ length: count + 1 }, () => ({
          actions: [{ type: 'wait' as const }],
          refused: false,
        }));
        const { result } = record(turns, { type: 'finished', answer: 'this' });
        expect(TrajectoryResult.safeParse(result).success).toBe(true);
        expect(TrajectoryResult.safeParse(change(result)).success).toBe(false);
      }),
    );
  });

  test('without a file is refused, by the field', async () => {
    await writeTrajectory(folder, record([{ actions: [{ type: 'wait' }], refused: false }]));
    await unlink(join(folder, 'a1', 'trajectory', '0001.png'));
    const refused = (field: string) => ({ code: 'bad_input', detail: { field } });
    await expect(readTrajectory(join(folder, 'a1'))).rejects.toMatchObject(refused('action_history.1.screenshot'));
    await writeFile(join(folder, 'a1', 'result.json'), '{}');
    await expect(readTrajectory(join(folder, 'a1'))).rejects.toMatchObject(refused('schema_version'));
    await expect(readTrajectory(folder)).rejects.toMatchObject(refused('result.json'));
  });
});

/** Changes the first step. */
function changed(
  result: TrajectoryResult,
  change: (step: TrajectoryResult['action_history'][number]) => object,
): object {
  const [first, ...rest] = result.action_history;
  return { ...result, action_history: [change(first!), ...rest] };
}
