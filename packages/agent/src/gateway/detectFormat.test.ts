import { turnFormat, type TurnFormatName, turnFormatNames } from '@gyre/protocol';
import { expect, test } from 'vitest';
import { detectFormat } from './detectFormat.js';

const ambiguous: readonly TurnFormatName[] = ['ui-tars-1.0', 'ui-tars-1.5', 'qwen3-vl'];

test.each(turnFormatNames)('a turn of %s is detected, or left open where another model means other points', (name) => {
  const { print } = turnFormat(name, { width: 1280, height: 720 });
  const turn = print({ thought: 'There.', actions: [{ type: 'click', point: { x: 0.5, y: 0.5 } }] });
  expect(detectFormat(turn)).toBe(ambiguous.includes(name) ? undefined : name);
});
