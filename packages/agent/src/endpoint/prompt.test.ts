import { turnFormat, turnFormatNames } from '@gyre/protocol';
import { describe, expect, test } from 'vitest';
import { promptModes, systemPrompt } from './prompt.js';

const screen = { width: 1280, height: 720 };

describe.each(turnFormatNames)('the prompt of %s', (format) => {
  test.each(promptModes)('shows calls of the mode %s that can be read', (mode) => {
    const prompt = systemPrompt({ format, mode, thinking: 'efficient', shell: true });
    const calls = [...prompt.matchAll(/^- (.*?[)>]): [a-z]/gm)].map(([, call = '']) => call);
    expect(calls.length).toBeGreaterThan(1);
    const { parse } = turnFormat(format, screen);
    for (const call of calls) {
      // Places and words are put where the prompt leaves them open.
      const filled = call
        .replace(/x1, y1, x2, y2/g, '10, 10, 10, 10')
        .replace(/x,y/g, '10,10')
        .replace(/<point>x y/g, '<point>10 10')
        .replace(/(direction(?:=|>)'?)\.\.\./, '$1down');
      const turn = filled.startsWith('<function')
        ? format === 't5'
          ? `<seed:tool_call>${filled}</seed:tool_call>`
          : `<code_env>${filled}</code_env>`
        : format === 'environment-tags'
          ? filled.startsWith('finished')
            ? '<answer>...</answer>'
            : `<computer_env>Action: ${filled}</computer_env>`
          : `Action: ${filled}`;
      expect({ turn, ...parse(turn) }).toMatchObject({ turn, ok: true });
    }
  });
});

test('no shell is offered where there is none', () => {
  expect(systemPrompt({ format: 't5', mode: 'gui', thinking: 'none' })).not.toContain('execute_bash');
});

test.each([
  ['unrestricted', 'as long as it helps'],
  ['efficient', 'in one or two sentences'],
  [40, 'in at most 40 words'],
  ['none', 'Do not think in writing'],
] as const)('thinking %s is asked for, and shown in the form of an answer', (thinking, words) => {
  const prompt = systemPrompt({ format: 't5', mode: 'gui', thinking });
  expect(prompt).toContain(words);
  expect(prompt.includes('<thinkt>')).toBe(thinking !== 'none');
});
