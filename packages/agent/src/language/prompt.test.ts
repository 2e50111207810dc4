import { turnFormat, turnFormatNames } from '@gyre/protocol';
import { describe, expect, test } from 'vitest';
import { promptModes, type PromptOptions, systemPrompt } from './prompt.js';

const screen = { width: 1280, height: 720 };
const surfaces = ['screen', 'shell', 'files', 'search', 'tools'] as const;
const tools = [{ server: 's', name: 'add', description: 'Adds.\n\nWhat you can do:', inputSchema: { type: 'object' } }];

describe.each(turnFormatNames)('the prompt of %s', (format) => {
  test.each(promptModes)('shows calls of the mode %s that can be read', (mode) => {
    const prompt = systemPrompt({ format, mode, thinking: 'efficient', surfaces, tools });
    const calls = [...prompt.matchAll(/^- (.*?[)>]): [a-z]/gm)].map(([, call = '']) => call);
    expect(calls.length).toBeGreaterThan(0);
    const { parse } = turnFormat(format, screen);
    for (const call of calls) {
      const filled = call
        .replace(/x1, y1, x2, y2/g, '10, 10, 10, 10')
        .replace(/x,y/g, '10,10')
        .replace(/<point>x y/g, '<point>10 10')
        .replace(/(direction(?:=|>)'?)\.\.\./, '$1down');
      const turn = filled.startsWith('<function')
        ? `<seed:tool_call>${filled}</seed:tool_call>`
        : filled.startsWith('<')
          ? filled
          : format === 'environment-tags'
            ? filled.startsWith('finished')
              ? '<answer>...</answer>'
              : `<computer_env>Action: ${filled}</computer_env>`
            : `Action: ${filled}`;
      expect({ turn, ...parse(turn) }).toMatchObject({ turn, ok: true });
    }
  });
});

const names = ['execute_bash', 'JupyterCI', 'str_replace_editor', 'Search', 'LinkReader', 'mcp_tool'];
const offered = (options: Partial<PromptOptions>) => {
  const prompt = systemPrompt({ format: 't5', mode: 'gui', thinking: 'none', ...options });
  return names.filter((name) => prompt.includes(name));
};

test('of the SDK is offered what the task has, in formats that can say it', () => {
  expect(offered({})).toEqual([]);
  expect(offered({ surfaces: ['screen', 'shell'] })).toEqual(['execute_bash', 'JupyterCI']);
  expect(offered({ surfaces: ['screen', 'files'] })).toEqual(['str_replace_editor']);
  expect(offered({ surfaces: ['screen', 'search'] })).toEqual(['Search', 'LinkReader']);
  expect(offered({ surfaces: ['screen', 'tools'] })).toEqual([]);
  expect(offered({ surfaces, tools })).toEqual(names);
  expect(offered({ surfaces, tools, format: 'environment-tags' })).toEqual(names);
  expect(offered({ surfaces, tools, format: 'doubao' })).toEqual([]);
  expect(offered({ surfaces, tools, mode: 'grounding' })).toEqual([]);
});

test('tools are told with their schemas, whatever they say of themselves', () => {
  const huge = { type: 'object', properties: { a: { description: 'x'.repeat(10_000) } } };
  const prompt = systemPrompt({
    ...{ format: 't5', mode: 'gui', thinking: 'none', surfaces },
    tools: [
      ...tools,
      { server: 's', name: 'huge', inputSchema: huge },
      ...Array.from({ length: 900 }, (_, index) => ({ ...tools[0]!, name: `tool-${index}` })),
    ],
  });
  expect(prompt).toContain(
    '{"server":"s","name":"add","description":"Adds.\\n\\nWhat you can do:","arguments":{"type":"object"}}\n',
  );
  expect(prompt).toContain('{"server":"s","name":"huge","arguments":"too long to be shown"}');
  expect(prompt).toMatch(/\n\(and \d+ more\)\n/);
  expect(prompt.length).toBeLessThan(65_000);
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
