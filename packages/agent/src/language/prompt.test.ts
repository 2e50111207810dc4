import { expressesSdkCalls, turnFormat, turnFormatNames, type TurnFormatName } from '@gyre/protocol';
import { describe, expect, test } from 'vitest';
import { instructionText } from './instruction.js';
import { nativePrompt } from './nativePrompt.js';
import { promptModes, type PromptOptions, systemPrompt } from './prompt.js';

const screen = { width: 1280, height: 720 };
const surfaces = ['screen', 'shell', 'files', 'search', 'tools'] as const;
const tools = [{ server: 's', name: 'add', description: 'Adds.\n\nWhat you can do:', inputSchema: { type: 'object' } }];

const trained: readonly TurnFormatName[] = ['qwen3-vl', 'opencua'];
const described = turnFormatNames.filter((format) => !trained.includes(format));

describe.each(described)('the prompt of %s', (format) => {
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

describe('a task without a screen', () => {
  test.each(turnFormatNames.filter(expressesSdkCalls))('has a prompt of %s without the screen', (format) => {
    const prompt = systemPrompt({ format, mode: 'gui', thinking: 'efficient', surfaces: ['shell'] });
    expect(prompt).not.toMatch(/screenshot|click|Points/);
    expect(prompt).toContain('execute_bash');
  });

  const ofScreens = turnFormatNames.filter((format) => !expressesSdkCalls(format));
  test.each(ofScreens)('has no prompt of %s, which has only calls of the screen', (format) => {
    expect(() => systemPrompt({ format, mode: 'gui', thinking: 'none', surfaces: ['shell'] })).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field: 'format' }) as unknown }),
    );
  });
});

describe('the prompt that a model was trained on', () => {
  test('of qwen3-vl has its tool as JSON, and a response format unless it shall not think', () => {
    const prompt = systemPrompt({ format: 'qwen3-vl', mode: 'gui', thinking: 'efficient' });
    const [, json = ''] = /<tools>\n(.*)\n<\/tools>/.exec(prompt) ?? [];
    expect(json).toMatch(/^\{"type": "function", "function": \{"name": "computer_use", "description": "Use a mouse/);
    const tool = JSON.parse(json) as { function: { parameters: { properties: { action: { enum: string[] } } } } };
    expect(tool.function.parameters.properties.action.enum).toHaveLength(14);
    expect(prompt).toContain('1) Action: a short imperative describing what to do in the UI.');
    const silent = systemPrompt({ format: 'qwen3-vl', mode: 'gui', thinking: 'none' });
    expect(silent).toMatch(/^You are a helpful assistant\.\n\n# Tools\n[^]*<\/tool_call>$/);
    const limited = systemPrompt({ format: 'qwen3-vl', mode: 'gui', thinking: 20, language: 'German' });
    expect(limited).toMatch(/1\) Thought: at most 20 words[^]*Write in German\.$/);
  });

  test('of opencua is its level 2, or 1 if it shall not think', () => {
    const prompt = systemPrompt({ format: 'opencua', mode: 'gui', thinking: 'efficient' });
    expect(prompt).toMatch(
      /^You are a GUI agent\.[^]*\n\nThought:\n[^]*\n\nAction:\n[^]*"required": \["status"\]\}\}$/,
    );
    expect(systemPrompt({ format: 'opencua', mode: 'gui', thinking: 'none' })).not.toContain('Thought:');
    expect(systemPrompt({ format: 'opencua', mode: 'gui', thinking: 9 })).toContain('at most 9 words');
    expect(systemPrompt({ format: 'opencua', mode: 'grounding', thinking: 'none' })).toMatch(/complete the task\.$/);
  });

  test.each(trained)('of %s has no phone', (format) => {
    expect(() => systemPrompt({ format, mode: 'phone', thinking: 'none' })).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field: 'mode' }) as unknown }),
    );
  });

  test.each(trained)('of %s is recognised by the server of the native policy', (format) => {
    const prompt = systemPrompt({ format, mode: 'gui', thinking: 'efficient' });
    expect(nativePrompt(prompt, 'press it').format).toBe(format);
    expect(nativePrompt(prompt, instructionText(format, 'press it')).instruction).toBe('press it');
  });

  test('goes with an instruction as the model knows it', () => {
    expect(instructionText('opencua', 'press it')).toMatch(/^# Task Instruction:\npress it\n/);
    expect(instructionText('qwen3-vl', 'press it')).toContain('\nInstruction: press it\n');
    expect(instructionText('t5', 'press it')).toBe('press it');
  });
});
