import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../action/action.js';
import { AgentAction } from '../../action/sdkCall.js';
import { fuzz } from '../../fuzz.test.fixture.js';
import { computerActions, ends, plainThoughts, rounded } from '../turns.test.fixture.js';
import { TurnStream } from '../turnStream.js';
import { parseQwen3Vl, parseQwen3VlPrefix, printQwen3Vl } from './qwen3Vl.js';

const point = { x: 0.25, y: 0.5 };
const call = (args: object) =>
  `<tool_call>\n${JSON.stringify({ name: 'computer_use', arguments: args })}\n</tool_call>`;
const spot = { coordinate: [250, 500] };

function actionsOf(text: string): AgentAction[] {
  const parsed = parseQwen3Vl(text);
  if (!parsed.ok) throw new Error(`${parsed.error.message} (at ${parsed.error.offset})`);
  return parsed.actions;
}

describe('a turn of qwen3-vl', () => {
  it('is printed as the cookbook and OSWorld have it', () => {
    expect(printQwen3Vl({ thought: 'Open the menu.', actions: [{ type: 'click', point }] })).toBe(
      'Action: Open the menu.\n<tool_call>\n{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [250, 500]}}\n</tool_call>',
    );
    expect(printQwen3Vl({ thought: 'It opened.\n\nSave.', actions: [{ type: 'hotkey', keys: 'ctrl s' }] })).toBe(
      'Thought: It opened.\nAction: Save.\n<tool_call>\n{"name": "computer_use", "arguments": {"action": "key", "keys": ["ctrl", "s"]}}\n</tool_call>',
    );
  });

  it.each<[object, Action[]]>([
    [{ action: 'key', keys: ['ctrl', 'Page_Down'] }, [{ type: 'hotkey', keys: 'ctrl pagedown' }]],
    [{ action: 'key', keys: 'ctrl+c' }, [{ type: 'hotkey', keys: 'ctrl c' }]],
    [{ action: 'type', text: 'naïve </tool_call>\n' }, [{ type: 'type', text: 'naïve </tool_call>\n' }]],
    [{ action: 'mouse_move', ...spot }, [{ type: 'mouse_move', point }]],
    [{ action: 'left_click', ...spot }, [{ type: 'click', point }]],
    [{ action: 'left_click', coordinate: '(250, 500)' }, [{ type: 'click', point }]],
    [{ action: 'left_click', coordinate: [200, 400, 300, 600] }, [{ type: 'click', point }]],
    [
      { action: 'right_click' },
      [
        { type: 'mouse_down', button: 'right' },
        { type: 'mouse_up', button: 'right' },
      ],
    ],
    [
      { action: 'left_click_drag', ...spot },
      [{ type: 'mouse_down' }, { type: 'mouse_move', point }, { type: 'mouse_up' }],
    ],
    [{ action: 'middle_click', ...spot }, [{ type: 'middle_click', point }]],
    [{ action: 'double_click', ...spot }, [{ type: 'double_click', point }]],
    [{ action: 'triple_click', ...spot }, [{ type: 'double_click', point }]],
    [{ action: 'scroll', pixels: -5 }, [{ type: 'scroll', direction: 'down' }]],
    [{ action: 'scroll', pixels: 1, ...spot }, [{ type: 'scroll', point, direction: 'up' }]],
    [{ action: 'scroll', pixels: -10 }, Array<Action>(2).fill({ type: 'scroll', direction: 'down' })],
    [{ action: 'scroll', pixels: -1e9 }, Array<Action>(10).fill({ type: 'scroll', direction: 'down' })],
    [{ action: 'hscroll', pixels: 5 }, [{ type: 'scroll', direction: 'right' }]],
    [{ action: 'wait', time: 2 }, [{ type: 'wait', seconds: 2 }]],
    [{ action: 'terminate', status: 'success' }, [{ type: 'finished' }]],
    [{ action: 'terminate', status: 'failure' }, [{ type: 'call_user' }]],
    [{ action: 'answer', text: '42' }, [{ type: 'finished', answer: '42' }]],
  ])('has %j', (args, actions) => {
    const text = call(args).replace('naïve </tool_call>', 'naïve \\u003c/tool_call>');
    expect(actionsOf(`Action: Go on.\n${text}`)).toEqual(actions);
  });

  it('reads a move before a drag or click as its start, and an answer before the end as one', () => {
    const move = call({ action: 'mouse_move', coordinate: [0, 0] });
    expect(actionsOf(`${move}\n${call({ action: 'left_click_drag', ...spot })}`)).toEqual([
      { type: 'drag', start: { x: 0, y: 0 }, end: point },
    ]);
    expect(actionsOf(`${move}${call({ action: 'left_click' })}`)).toEqual([{ type: 'click', point: { x: 0, y: 0 } }]);
    const end = call({ action: 'terminate', status: 'success' });
    expect(actionsOf(call({ action: 'answer', text: 'a' }) + end)).toEqual([{ type: 'finished', answer: 'a' }]);
  });

  const click = call({ action: 'left_click', ...spot });
  it.each<[string, string, string | undefined, RegExp | undefined]>([
    ['a native thought', `<think>\nHm.\n</think>\n\nAction: Click.\n${click}`, 'Hm.\n\nClick.', undefined],
    ['a thought that the prompt opened', `Hm.</think>\n${click}`, 'Hm.', undefined],
    ['a thought and an action', `Thought: Hm.\nAction: Click.\n${click}`, 'Hm.\n\nClick.', undefined],
    ['unlabelled text', `I click.\n${click}`, 'I click.', undefined],
    ['an end token', `${click}<|im_end|>`, undefined, undefined],
    ['no closing tag', click.replace('\n</tool_call>', ''), undefined, /<\/tool_call> is missing/],
    ['no tags', click.replace(/\n?<\/?tool_call>\n?/g, ''), undefined, /there is no <tool_call>/],
    ['text after the call', `${click}\nDone.`, undefined, /text after a call/],
    ['another turn', `${click}\nAction: More.\n${click}`, undefined, /another turn follows/],
    ['a bad second call', `${click}\n<tool_call>{</tool_call>`, undefined, /rest of the turn was left out/],
    [
      'arguments in a string',
      click.replace(/(\{"action.*?\})\}/, (_, args) => `${JSON.stringify(args)}}`),
      undefined,
      undefined,
    ],
    ['an unknown parameter', click.replace('"action"', '"button":"x","action"'), undefined, /"button" of left_click/],
  ])('is read with %s', (_, text, thought, notice) => {
    const parsed = parseQwen3Vl(text);
    expect(parsed).toMatchObject({ ok: true, actions: [{ type: 'click', point }] });
    if (!parsed.ok) return;
    expect(parsed.thought).toBe(thought);
    if (notice) expect(parsed.notices?.join('\n')).toMatch(notice);
    else expect(parsed.notices).toBeUndefined();
  });

  it.each<[string, RegExp, number]>([
    ['', /<tool_call> is missing/, 0],
    ['Action: Click it.', /<tool_call> is missing/, 17],
    ['<tool_call>\n{"name": "computer_use"', /the tool call is not/, 12],
    ['<tool_call>\n[]\n</tool_call>', /the tool call is not/, 12],
    ['<tool_call>{"name": "rm", "arguments": {}}</tool_call>', /no function "rm"/, 11],
    [call({}), /needs an "action"/, 12],
    [call({ action: 'toString' }), /no action "toString"/, 12],
    [call({ action: 'left_click', coordinate: [1001, 0] }), /"coordinate" must be two numbers/, 12],
    [call({ action: 'left_click', coordinate: { toString: 1 } }), /"coordinate" must be/, 12],
    [call({ action: 'double_click' }), /double_click needs "coordinate"/, 12],
    [call({ action: 'key', keys: [] }), /must be one to 5/, 12],
    [call({ action: 'key', keys: ['hyper'] }), /no key "hyper"/, 12],
    [call({ action: 'key', keys: [7] }), /must be texts/, 12],
    [call({ action: 'type' }), /type needs a "text"/, 12],
    [call({ action: 'scroll', pixels: 0 }), /"pixels" of scroll/, 12],
    [call({ action: 'wait', time: 'long' }), /"time" of wait/, 12],
    [call({ action: 'wait', time: 3600 }), /wait: /, 12],
    [call({ action: 'terminate', status: 'maybe' }), /"status" of terminate/, 12],
  ])('is not %s', (text, message, offset) => {
    const parsed = parseQwen3Vl(text);
    if (parsed.ok) throw new Error(JSON.stringify(parsed));
    expect(parsed.error.message).toMatch(message);
    expect(parsed.error.offset).toBe(offset);
  });

  it.each<[AgentAction[], string | undefined, string]>([
    [[], undefined, 'actions'],
    [[{ type: 'wait' }, { type: 'press_home' }], undefined, 'actions.1'],
    [[{ type: 'execute_bash', command: 'ls' }], undefined, 'actions.0'],
    [[{ type: 'hotkey', keys: 'hyper' }], undefined, 'key'],
    [[{ type: 'click', point: { x: 2, y: 0 } }], undefined, 'actions.0.point.x'],
    [[{ type: 'wait' }], 'a</think>b', 'thought'],
    [[{ type: 'wait' }], 'a<tool_call>', 'thought'],
    [[{ type: 'wait' }], ' a', 'thought'],
  ])('cannot be %j with %j', (actions, thought, field) => {
    expect(() => printQwen3Vl({ thought, actions })).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field }) as unknown }),
    );
  });
});

describe('a turn that was printed for qwen3-vl', () => {
  const turns = fc.tuple(fc.array(computerActions, { maxLength: 3 }), ends).map(([actions, end]) => [...actions, end]);
  const thoughts = fc.option(plainThoughts, { nil: undefined });

  it('comes back, whole and in pieces', () => {
    const reader = { parse: parseQwen3Vl, beginning: parseQwen3VlPrefix, closing: />/ };
    const units = { width: 1000, height: 1000 };
    fc.assert(
      fc.property(turns, thoughts, fc.array(fc.nat(40), { maxLength: 20 }), (actions, thought, lengths) => {
        const text = printQwen3Vl({ thought, actions });
        const stream = new TurnStream(reader);
        const streamed: AgentAction[] = [];
        let offset = 0;
        for (const length of [...lengths, Infinity]) {
          streamed.push(...stream.push(text.slice(offset, offset + length)).actions);
          offset += length;
        }
        const parsed = stream.end();
        if (!parsed.ok) throw new Error(parsed.error.message);
        expect(parsed.notices).toBeUndefined();
        expect(parsed.thought).toBe(thought);
        expect(rounded(parsed.actions, units)).toEqual(rounded(actions, units));
        expect(streamed).toEqual(parsed.actions);
      }),
      fuzz(200),
    );
  });
});

it('qwen3-vl reads or refuses any text', () => {
  const names = fc.constantFrom(
    'key',
    'type',
    'left_click',
    'left_click_drag',
    'scroll',
    'wait',
    'terminate',
    'answer',
  );
  const keys = fc.constantFrom('keys', 'text', 'coordinate', 'pixels', 'time', 'status', 'action');
  const calls = fc
    .tuple(names, fc.dictionary(keys, fc.oneof(fc.jsonValue(), fc.constant([1, 2]), fc.constant('success'))))
    .map(([action, args]) => call({ action, ...args }));
  const marks = fc.constantFrom(
    '<tool_call>',
    '</tool_call>',
    'Action: ',
    'Thought: ',
    '<think>',
    '</think>',
    '{',
    '\n',
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(calls, marks, fc.string({ unit: 'binary', maxLength: 9 })), { maxLength: 12 }),
      (texts) => {
        const source = texts.join('');
        const parsed = parseQwen3Vl(source);
        if (parsed.ok) for (const action of parsed.actions) expect(AgentAction.parse(action)).toEqual(action);
        else expect(parsed.error.offset).toBeLessThanOrEqual(source.length);
        parseQwen3VlPrefix(source);
      },
    ),
    fuzz(1000),
  );
});
