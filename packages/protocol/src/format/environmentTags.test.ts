import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { AgentAction } from '../action/sdkCall.js';
import { sdkCalls } from '../action/sdkCall.test.fixture.js';
import { turnFormat } from './turnFormat.js';
import { TurnStream } from './turnStream.js';
import { fuzz } from '../fuzz.test.fixture.js';

const format = turnFormat('environment-tags', { width: 1280, height: 720 });
const click: AgentAction = { type: 'click', point: { x: 0.1, y: 0.2 } };

const mcp = (json: string) => `<mcp_env><|FunctionCallBegin|>${json}<|FunctionCallEnd|></mcp_env>`;

describe('one turn', () => {
  it.each<[string, AgentAction[]]>([
    ["<computer_env>\nAction: click(point='<point>100 200</point>')\n</computer_env>", [click]],
    [
      '<code_env><function=execute_bash><parameter=command>ls -a</parameter></function></code_env>',
      [{ type: 'execute_bash', command: 'ls -a' }],
    ],
    [
      '<code_env><function=str_replace_editor><parameter=command>view</parameter><parameter=path>a.py</parameter><parameter=view_range>[1,9]</parameter></function></code_env>',
      [{ type: 'str_replace_editor', command: 'view', path: 'a.py', lines: [1, 9] }],
    ],
    [
      '<mcp_env><|FunctionCallBegin|>[{"name":"Search","parameters":{"query":"kettle"}}]<|FunctionCallEnd|></mcp_env>',
      [{ type: 'search', query: 'kettle' }],
    ],
    [
      '<mcp_env><|FunctionCallBegin|>[{"name":"mcp_tool","parameters":{"server":"s","name":"t","arguments":{"a":[1]}}}]<|FunctionCallEnd|></mcp_env>',
      [{ type: 'mcp_tool', server: 's', tool: 't', arguments: { a: [1] } }],
    ],
    ['<answer>42</answer>', [{ type: 'finished', answer: '42' }]],
  ])('is %s', (text, actions) => {
    expect(format.print({ actions })).toBe(text);
    expect(format.parse(text)).toEqual({ ok: true, actions });
    expect(format.parse(`<think>Hm.</think>\n${text}\n`)).toEqual({ ok: true, thought: 'Hm.', actions });
    expect(
      format.parse(
        `<think_never_used_51bce0c785ca2f68081bfa7d91973934>Hm.</think_never_used_51bce0c785ca2f68081bfa7d91973934>${text}`,
      ),
    ).toEqual({ ok: true, thought: 'Hm.', actions });
  });

  it.each([
    ['', /<computer_env>, <code_env>, <mcp_env> or <answer> is missing/, 0],
    ['<computer_env>Action: </computer_env>', /no GUI action was found/, 21],
    ["<computer_env>Action: execute_bash(command='ls')</computer_env>", /is an SDK call/, 22],
    ['<code_env><function=rm></function></code_env>', /no function "rm"/, 10],
    ['<mcp_env></mcp_env>', /no function call/, 9],
    [mcp('[]'), /no function call/, 9],
    [mcp('[{"name":"Search"'), /no function call/, 9],
    [mcp('[{"name":"Search","parameters":null}]'), /Search needs the parameter "query"/, 9],
    [mcp('[{"name":"Search","parameters":{"query":7}}]'), /"query"/, 9],
    [mcp('[{"name":"Search","parameters":{"q":"a"}}]'), /Search needs the parameter "query"/, 9],
    [mcp('[{"name":"Seek","parameters":{}}]'), /no function "Seek"/, 9],
  ])('is not %s', (text, message, offset) => {
    const parsed = format.parse(text);
    if (parsed.ok) throw new Error(JSON.stringify(parsed));
    expect(parsed.error.message).toMatch(message);
    expect(parsed.error.offset).toBe(offset);
  });

  it.each<[string, AgentAction[], string?]>([
    ['two environments', [click, { type: 'execute_bash', command: 'ls' }]],
    ['an end after an action', [click, { type: 'finished' }]],
    ['nothing', []],
    ['a thought that ends itself', [click], 'a</think>b'],
  ])('cannot be %s', (_, actions, thought) => {
    expect(() => format.print({ thought, actions })).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });
});

test('what was printed comes back, whole and in pieces', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 });
  const turn = fc.oneof(
    sdkCalls(text).map((call): AgentAction[] => [call]),
    text.map((answer): AgentAction[] => [{ type: 'finished', answer: answer.trim() }]),
    fc.array(
      fc.oneof(
        fc.constant(click),
        text.map((typed): AgentAction => ({ type: 'type', text: typed })),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  );
  const thought = fc.option(fc.stringMatching(/^[a-z][a-z .\n]{0,30}[a-z]$/), { nil: undefined });
  fc.assert(
    fc.property(turn, thought, fc.array(fc.nat(30), { maxLength: 20 }), (actions, thought, lengths) => {
      const printed = format.print({ thought, actions });
      fc.pre(!/<\/?(?:answer|code_env|computer_env|mcp_env)>/.test(JSON.stringify(actions)));
      expect(format.parse(printed)).toEqual({ ok: true, ...(thought !== undefined && { thought }), actions });
      const stream = new TurnStream(format);
      const streamed: AgentAction[] = [];
      let offset = 0;
      for (const length of [...lengths, Infinity]) {
        streamed.push(...stream.push(printed.slice(offset, offset + length)).actions);
        offset += length;
      }
      expect(streamed).toEqual(actions);
    }),
    fuzz(100),
  );
});

test('it never throws, whatever the text', () => {
  const tokens = fc.constantFrom(
    ...[
      '<think>',
      '</think>',
      '<computer_env>',
      '</computer_env>',
      '<code_env>',
      '</code_env>',
      '<answer>',
      '</answer>',
      '<mcp_env>',
    ],
    ...[
      'Action: ',
      'wait()',
      '<function=execute_bash>',
      '<parameter=command>',
      '</parameter>',
      '</function>',
      '</mcp_env>',
      '<|FunctionCallBegin|>[{"name":"Search","parameters":{"query":"a"}}]',
      '<|FunctionCallEnd|>',
      '\n',
      'a',
    ],
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(tokens, fc.string({ unit: 'binary' })), { maxLength: 20 }), (pieces) => {
      const source = pieces.join('');
      const parsed = format.parse(source);
      if (parsed.ok) for (const action of parsed.actions) expect(AgentAction.parse(action)).toEqual(action);
      else expect(parsed.error.offset).toBeLessThanOrEqual(source.length);
      format.beginning(source);
    }),
    fuzz(2000),
  );
});
