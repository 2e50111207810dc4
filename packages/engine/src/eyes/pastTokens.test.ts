import { actionTypes } from '@gyre/protocol';
import { expect, it } from 'vitest';
import { functionRows } from './sceneWidths.js';
import { functionIndex, maxPastTokens, pastTokens, rememberedTurns } from './pastTokens.js';
import { lineOf, size } from './scene.test.fixture.js';
import type { PastScene } from './scene.js';

const turn = (actions: PastScene['actions'], unchanged = false): PastScene => ({
  ...{ actions, size, unchanged },
  lines: [lineOf('Quantity', 0, 20), lineOf('7', 80, 20)],
});
const pointAt = (x: number, y: number) => ({ x: x / size.width, y: y / size.height });

it('names the text at a point, and the row beside it', () => {
  const tokens = pastTokens([turn([{ type: 'click', point: pointAt(83, 26) }], true)]);
  expect(tokens).toMatchObject([
    {
      kind: 'past',
      text: '7',
      age: 1,
      unchanged: true,
      function: functionIndex({ type: 'click', point: pointAt(0, 0) }),
    },
    { kind: 'pastRow', text: 'Quantity' },
  ]);
  expect(tokens[0]?.box).toEqual({ x: 81, y: 24, width: 4, height: 4 });
});

it('has no text for a point on nothing', () => {
  expect(pastTokens([turn([{ type: 'click', point: pointAt(60, 60) }])])).toMatchObject([{ kind: 'past', text: '' }]);
});

it('spells actions without a point', () => {
  const spelt = (action: PastScene['actions'][number]) => pastTokens([turn([action])])[0]?.text;
  expect(spelt({ type: 'type', text: 'ab' })).toBe('ab');
  expect(spelt({ type: 'hotkey', keys: 'ctrl c' })).toBe('ctrl c');
  expect(spelt({ type: 'scroll', direction: 'down' })).toBe('down');
  expect(spelt({ type: 'execute_bash', command: 'ls' })).toBe('ls');
  const types = actionTypes.map((type) => functionIndex({ type } as PastScene['actions'][number]));
  const command = functionIndex({ type: 'execute_bash', command: 'ls' });
  expect(new Set([0, ...types, command]).size).toBe(functionRows);
  expect(Math.max(...types, command)).toBe(functionRows - 1);
  expect(spelt({ type: 'wait' })).toBe('');
});

it('remembers the last turns, newest first, with a token for both ends of a drag', () => {
  const drag = { type: 'drag', start: pointAt(60, 60), end: pointAt(50, 50) } as const;
  const turns = [...Array.from({ length: 12 }, () => turn([{ type: 'wait' }])), turn([drag])];
  const ages = pastTokens(turns).map(({ age }) => age);
  expect(ages).toEqual([1, ...Array.from({ length: rememberedTurns }, (_, i) => i + 1)]);
  expect(pastTokens(Array.from({ length: 8 }, () => turn([drag, drag])))).toHaveLength(maxPastTokens);
});
