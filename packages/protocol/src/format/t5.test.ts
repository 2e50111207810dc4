import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Action,
  type ActionType,
  type AgentAction,
  GyreError,
  type Point,
  actionTypes,
  parseT5,
  printT5,
} from '../index.js';
import { sdkCalls } from '../action/sdkCall.test.fixture.js';
import { fuzz } from '../fuzz.test.fixture.js';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const point = fc.record({ x: share, y: share });
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  fc.constantFrom(
    ...['<', '&', '&lt;', '&amp;', 'amp;', 'lt;', '\n', "'", '"', '</parameter>', '<parameter=point>', '</function>'],
    ...[
      '<function=click>',
      '/function>',
      'parameter=',
      '</seed:tool_call>',
      '<seed:tool_call>',
      '<thinkt>',
      '</thinkt>',
    ],
    ...['</think>', '<point>1 2</point>', '/thinkt>', '</', '>', '\u{1f600}', '\ud83d'],
  ),
);
const words = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
const someWords = words.filter((text) => text.length > 0);
const button = fc.constantFrom('left' as const, 'middle' as const, 'right' as const);
const direction = fc.constantFrom('up' as const, 'down' as const, 'left' as const, 'right' as const);
const seconds = fc.double({ min: 0, max: 60, noNaN: true });

const fields: { [T in ActionType]: fc.Arbitrary<Omit<Extract<Action, { type: T }>, 'type'>> } = {
  screenshot: fc.record({}),
  click: fc.record({ point }),
  right_click: fc.record({ point }),
  double_click: fc.record({ point }),
  middle_click: fc.record({ point }),
  mouse_down: fc.record({ point, button }, { requiredKeys: [] }),
  mouse_up: fc.record({ point, button }, { requiredKeys: [] }),
  mouse_move: fc.record({ point }),
  drag: fc.record({ start: point, end: point }),
  scroll: fc.record({ point, direction }, { requiredKeys: ['direction'] }),
  type: fc.record({ text: words }),
  hotkey: fc.record({ keys: someWords }),
  press: fc.record({ key: someWords }),
  release: fc.record({ key: someWords }),
  navigate: fc.record({ url: someWords }),
  navigate_back: fc.record({}),
  long_press: fc.record({ point }),
  swipe: fc.record({ start: point, end: point }),
  press_home: fc.record({}),
  press_back: fc.record({}),
  open_app: fc.record({ name: someWords }),
  wait: fc.record({ seconds }, { requiredKeys: [] }),
  finished: fc.record({ answer: words }, { requiredKeys: [] }),
  call_user: fc.record({}),
};
const action = fc.oneof(
  ...actionTypes.map((type) => (fields[type] as fc.Arbitrary<object>).map((rest) => ({ type, ...rest }) as Action)),
);
const message = fc.record(
  { thought: words, actions: fc.array(action, { minLength: 1, maxLength: 4 }) },
  { requiredKeys: ['actions'] },
);

function expectSame(back: object, expected: object): void {
  expect(Object.keys(back).sort()).toEqual(Object.keys(expected).sort());
  for (const [key, value] of Object.entries(expected)) {
    const received = (back as Record<string, unknown>)[key];
    if (typeof value === 'object' && value !== null) {
      const [a, b] = [received as Point, value as Point];
      expect(Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y))).toBeLessThanOrEqual(0.0005 + 1e-12);
    } else expect(received).toBe(value);
  }
}

function actionsOf(text: string): AgentAction[] {
  const result = parseT5(text);
  if (!result.ok) throw new Error(result.error.message);
  return result.actions;
}

function errorOf(text: string): { message: string; offset: number } {
  const result = parseT5(text);
  if (result.ok) throw new Error(`it was accepted: ${JSON.stringify(result)}`);
  return result.error;
}

const call = (inside: string) => `<seed:tool_call>${inside}</seed:tool_call>`;

describe('a printed turn', () => {
  it('comes back: text to the letter, points within half of 1/1000', () => {
    fc.assert(
      fc.property(message, fc.constantFrom('thinkt', 'think', 'a.b'), (message, think) => {
        const result = parseT5(printT5(message, { think }), { think });
        if (!result.ok) throw new Error(result.error.message);
        expect(result.thought).toBe(message.thought);
        expect(result.actions.length).toBe(message.actions.length);
        message.actions.forEach((said, index) => expectSame(result.actions[index]!, said));
      }),
      fuzz(1000),
    );
  });

  it('reads like the public prompt', () => {
    expect(
      printT5({
        thought: 'The field is empty.\nI click it.',
        actions: [
          { type: 'click', point: { x: 0.1, y: 0.2004 } },
          { type: 'type', text: 'if a < b && c\n' },
          { type: 'double_click', point: { x: 1, y: 0 } },
        ],
      }),
    ).toBe(
      '<thinkt>The field is empty.\nI click it.</thinkt><seed:tool_call>' +
        '<function=click><parameter=point><point>100 200</point></parameter></function>' +
        '<function=type><parameter=content>if a < b && c\n</parameter></function>' +
        '<function=left_double><parameter=point><point>1000 0</point></parameter></function></seed:tool_call>',
    );
  });

  it('quotes only what would end a value', () => {
    const text = (text: string) => printT5({ actions: [{ type: 'type', text }] }).split('content>')[1];
    expect(text('&lt;b&gt; <b>')).toMatch(/^&lt;b&gt; <b><\/parameter>/);
    expect(text('</parameter>')).toMatch(/^&lt;\/parameter><\/parameter>/);
    expect(text('&lt;/parameter>')).toMatch(/^&amp;lt;\/parameter><\/parameter>/);
  });

  it('is refused without actions, or with an action that fits no schema', () => {
    expect(() => printT5({ actions: [] })).toThrow(GyreError);
    expect(() => printT5({ actions: [{ type: 'click', point: { x: 2, y: 0 } }] })).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field: 'actions.0.point.x' }) }),
    );
    expect(() => printT5({ actions: [{ type: 'wait' }] }, { think: 'function' })).toThrow(GyreError);
  });
});

describe('parsing', () => {
  it.each([
    ['left_click', 'click'],
    ['left_single', 'click'],
    ['left_double', 'double_click'],
    ['right_single', 'right_click'],
    ['right_click', 'right_click'],
    ['move_to', 'mouse_move'],
    ['move', 'mouse_move'],
    ['hover', 'mouse_move'],
    ['mouse_move', 'mouse_move'],
  ])('takes %s for %s', (name, type) => {
    const text = call(`<function=${name}><parameter=point><point>500 250</point></parameter></function>`);
    expect(actionsOf(text)).toEqual([{ type, point: { x: 0.5, y: 0.25 } }]);
  });

  it.each(['drag', 'left_click_drag', 'select'])('takes %s for drag, and white space anywhere between tags', (name) => {
    const text = `\n<thinkt>x</thinkt>\n\n<seed:tool_call>\n<function=${name}>
      <parameter=end_point> <point> 1000  0 </point>\n</parameter>
      <parameter=start_point><point>0 0</point></parameter>
    </function>\n</seed:tool_call>\n`;
    expect(actionsOf(text)).toEqual([{ type: 'drag', start: { x: 0, y: 0 }, end: { x: 1, y: 0 } }]);
  });

  it.each([
    ['nothing', '', /no GUI action was found/, 0],
    ['a cut call', 'click <function=', /<function=...> does not hold a name/, 6],
    ['no function', call(''), /no GUI action was found/, 33],
    ['an open thought', '<thinkt>hm', /thought is not closed/, 8],
    ['an open function', '<seed:tool_call><function=wait>', /<\/function> is missing/, 31],
    ['an open value', call('<function=type><parameter=content>a</function>'), /"content" of type is not closed/, 50],
    ['an unknown function', call('<function=clack></function>'), /no function "clack"/, 16],
    ['a name of the prototype', call('<function=constructor></function>'), /no function "constructor"/, 16],
    ['a missing point', call('<function=click></function>'), /click needs the parameter "point"/, 16],
    ['an empty key', call('<function=press><parameter=key></parameter></function>'), /press: "key"/, 16],
    ['a long wait', call('<function=wait><parameter=time>61</parameter></function>'), /wait: "time"/, 16],
    ['a wait of words', call('<function=wait><parameter=time>long</parameter></function>'), /number of seconds/, 47],
    [
      'a sideways scroll',
      call('<function=scroll><parameter=direction>sideways</parameter></function>'),
      /up, down, left or right, not "sideways"/,
      54,
    ],
  ])('says what is wrong with %s, and where', (_, text, message, offset) => {
    const error = errorOf(text);
    expect(error.message).toMatch(message);
    expect(error.offset).toBe(offset);
  });

  it.each([
    ...['', '(1.1)', 'a, b', '<point>1</point>', '<point></point>', '<point>-1 2</point>', '1 2 3', 'NaN NaN'],
    ...['<point>1001 2</point>', '<point>1 2</point><point>3 4 5</point>', '<point>1e2 2</point>', '1;2'],
  ])('never guesses a click from the point "%s"', (point) => {
    expect(errorOf(call(`<function=click><parameter=point>${point}</parameter></function>`)).message).toContain(
      '"point" of click must be <point>x y</point>',
    );
  });

  it('prints every SDK call with any values', () => {
    fc.assert(
      fc.property(sdkCalls(someWords), (call) => {
        const actions: AgentAction[] = [call, { type: 'wait' }];
        expect(actionsOf(printT5({ actions }))).toEqual(actions);
      }),
      fuzz(500),
    );
  });

  it('prints arguments that look like a point or contain tags as JSON', () => {
    const actions: AgentAction[] = [
      { type: 'mcp_tool', server: 's', tool: 't', arguments: { x: 0.5, y: 0.5 } },
      { type: 'mcp_tool', server: 's', tool: 't', arguments: { a: '</parameter>' } },
    ];
    const text = printT5({ actions });
    expect(text).toContain('<parameter=arguments>{"x":0.5,"y":0.5}</parameter>');
    expect(actionsOf(text)).toEqual(actions);
  });

  it.each([
    [
      'str_replace_editor',
      { command: 'append', path: 'a' },
      /"command" .* must be view, create, str_replace, insert or/,
    ],
    ['str_replace_editor', { command: 'view' }, /needs the parameter "path"/],
    ['str_replace_editor', { command: 'create', path: 'a' }, /needs the parameter "file_text" here/],
    ['str_replace_editor', { command: 'view', path: 'a', old_str: 'b' }, /does not take "old_str" here/],
    ['str_replace_editor', { command: 'view', path: 'a', view_range: '[1]' }, /"view_range" .* such as \[1, 20\]/],
    ['str_replace_editor', { command: 'view', path: 'a', view_range: '[3, 1]' }, /last line comes before the first/],
    ['str_replace_editor', { command: 'insert', path: 'a', insert_line: '-1', new_str: '' }, /a whole number from 0/],
    ['JupyterCI', { code: '1', timeout: '0' }, /"timeout"/],
    ['Search', { query: '' }, /"query"/],
    ['LinkReader', { description: 'x' }, /needs the parameter "url"/],
    ['mcp_tool', { server: 's', name: 't', arguments: '[1]' }, /"arguments" of mcp_tool must be a JSON object/],
    ['mcp_tool', { server: 's', name: 't', arguments: '{"__proto__": 1}' }, /must be a JSON object/],
    ['mcp_tool', { server: 's', name: 't', arguments: '{"a":'.repeat(9_999) + '1' + '}'.repeat(9_999) }, /JSON object/],
  ])('does not take %s with %j', (name, args, message) => {
    const values = Object.entries(args).map(([parameter, value]) => `<parameter=${parameter}>${value}</parameter>`);
    expect(errorOf(call(`<function=${name}>${values.join('')}</function>`)).message).toMatch(message);
  });

  it('never throws, whatever the text', () => {
    const tokens = fc.constantFrom(
      ...['<thinkt>', '</thinkt>', '<seed:tool_call>', '</seed:tool_call>', '<function=click>', '<function=type>'],
      ...[
        '</function>',
        '<parameter=point>',
        '<parameter=content>',
        '</parameter>',
        '<point>1 2</point>',
        '<function=',
      ],
      ...['<function=mcp_tool>', '<parameter=arguments>', '{"a":[1]}', '<function=str_replace_editor>', '[1, 2]'],
      ...['<point>', '9999', ' ', '\n', 'a', '&lt;/parameter>', '__proto__>', '<parameter=__proto__>', '\u0000'],
    );
    const soup = fc.array(fc.oneof(tokens, fc.string({ unit: 'binary' })), { maxLength: 30 });
    fc.assert(
      fc.property(soup, (pieces) => {
        const text = pieces.join('');
        const result = parseT5(text);
        if (!result.ok) expect(result.error.offset).toBeLessThanOrEqual(text.length);
      }),
      fuzz(2000),
    );
  });

  it('reads only the closed functions of a truncated turn, and reports it', () => {
    const actions: AgentAction[] = [{ type: 'click', point: { x: 0.5, y: 0.5 } }, { type: 'wait' }];
    const text = printT5({ thought: 'x', actions });
    for (let end = 0; end < text.length; end++) {
      const read = parseT5(text.slice(0, end));
      const closed = text.slice(0, end).split('</function>').length - 1;
      expect(read.ok).toBe(closed > 0);
      if (read.ok)
        expect(read).toMatchObject({
          actions: actions.slice(0, closed),
          notices: expect.arrayContaining([expect.any(String)]) as string[],
        });
    }
    expect(parseT5(text)).toEqual({ ok: true, thought: 'x', actions });
  });
});
