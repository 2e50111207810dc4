import fc from 'fast-check';
import { expect, test } from 'vitest';
import { turnFormat, type TurnFormatName } from '@gyre/protocol';
import { frameOf } from '../loop/frame.test.fixture.js';
import type { PastTurn } from '../policy/policy.js';
import { conversation, firstShown, maxShown } from './conversation.js';

const size = { width: 160, height: 160 };
const frame = (index: number) => frameOf(new Uint8Array([index]), size);
const task = { instruction: 'press "ok"', surfaces: ['screen' as const], screen: size, stepBudget: 50 };

function turn(index: number, results?: string[]): PastTurn {
  const { hash } = frame(index + 1);
  return {
    index,
    actions: [{ type: 'wait' }],
    text: `turn ${index}`,
    observation: {
      screenshot: hash,
      size,
      ...(results && { results: results.map((text) => ({ kind: 'output' as const, text })) }),
    },
  };
}

function talk(turns: number, minScreenshots: number) {
  const count = turns + 1;
  const screenshots = Array.from({ length: count }, (_, index) => frame(index)).slice(-maxShown(minScreenshots));
  const past = Array.from({ length: turns }, (_, index) => turn(index));
  return conversation(
    { task, screenshots, turns: past },
    { system: 'be good', format: turnFormat('t5', size), minScreenshots },
  );
}

const pictures = (messages: ReturnType<typeof talk>) =>
  (JSON.stringify(messages).match(/data:image\/png;base64,[^"]*/g) ?? []).length;

test('shows the newest screenshots, at least as many as are kept, and every text', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.integer({ min: 1, max: 8 }), (turns, minScreenshots) => {
      const messages = talk(turns, minScreenshots);
      expect(messages).toHaveLength(2 + 2 * turns);
      const shownCount = pictures(messages);
      expect(shownCount).toBeGreaterThanOrEqual(Math.min(minScreenshots, turns + 1));
      expect(shownCount).toBeLessThanOrEqual(Math.max(minScreenshots, maxShown(minScreenshots)));
      expect(JSON.stringify(messages.at(-1))).toContain('data:image/png');
      for (let index = 0; index < turns; index++)
        expect(messages[2 + 2 * index]).toEqual({ role: 'assistant', content: `turn ${index}` });
    }),
  );
});

test('only grows but for one turn in as many as are kept', () => {
  const minScreenshots = 5;
  let rewritten = 0;
  for (let turns = 0; turns < 50; turns++) {
    const [before, after] = [talk(turns, minScreenshots), talk(turns + 1, minScreenshots)];
    if (JSON.stringify(after.slice(0, before.length)) !== JSON.stringify(before)) {
      rewritten++;
      expect(firstShown(turns + 2, minScreenshots)).not.toBe(firstShown(turns + 1, minScreenshots));
    }
  }
  expect(rewritten).toBe(9);
});

test('tells what came of a turn before its screenshot', () => {
  const messages = conversation(
    { task, screenshots: [frame(0), frame(1)], turns: [turn(0, ['not understood: no GUI action was found'])] },
    { system: '', format: turnFormat('t5', size), minScreenshots: 5 },
  );
  expect(messages[3]).toMatchObject({
    role: 'user',
    content: [{ type: 'text', text: 'not understood: no GUI action was found' }, { type: 'image_url' }],
  });
});

test('says what another has done as the format says it, as far as it can', () => {
  const { text: _, ...silent } = turn(0);
  const call = { type: 'execute_bash' as const, command: 'ls' };
  const wait = { type: 'wait' as const };
  const printed = (format: TurnFormatName, actions: PastTurn['actions'], thought?: string) => {
    const past: PastTurn = { ...silent, actions, ...(thought !== undefined && { thought }) };
    const options = { system: '', format: turnFormat(format, size), minScreenshots: 5 };
    return conversation({ task, screenshots: [frame(0), frame(1)], turns: [past] }, options)[2]?.content;
  };
  expect(printed('t5', [call, wait])).toBe(
    '<seed:tool_call><function=execute_bash><parameter=command>ls</parameter></function><function=wait></function></seed:tool_call>',
  );
  expect(printed('environment-tags', [call])).toContain('<code_env>');
  expect(printed('environment-tags', [call, wait])).toBe('<computer_env>\nAction: wait()\n</computer_env>');
  expect(printed('doubao', [call, wait], 'Look.')).toBe('Thought: Look.\nAction: wait()');
  expect(printed('doubao', [call], 'Look.')).toBe('Look.');
});

test('shows no picture of a task without a screen', () => {
  const shell = { ...task, surfaces: ['shell' as const] };
  const terms = { system: 'be good', format: turnFormat('t5', size), minScreenshots: 2 };
  const past = { task: shell, screenshots: [frame(0), frame(1)], turns: [turn(0, ['(exit code 0)']), turn(1)] };
  const messages = conversation(past, terms);
  expect(pictures(messages)).toBe(0);
  expect(messages.every(({ content }) => (content ?? '').length > 0)).toBe(true);
  expect(JSON.stringify(messages)).toContain('(exit code 0)');
});
