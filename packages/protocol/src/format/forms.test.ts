import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentAction } from '../action/sdkCall.js';
import { type TurnFormatName, turnFormat, turnFormatNames } from './turnFormat.js';
import { TurnStream } from './turnStream.js';
import { fuzz } from '../fuzz.test.fixture.js';

const screen = { width: 1000, height: 1000 };
const click: AgentAction = { type: 'click', point: { x: 0.45, y: 0.565 } };
const wait: AgentAction = { type: 'wait' };
const place = '<point>450 565</point>';
const f = `<function=click><parameter=point>${place}</parameter></function>`;
const call = (inside = f) => `<seed:tool_call>${inside}</seed:tool_call>`;
const clickAt = (point: string) => call(`<function=click><parameter=point>${point}</parameter></function>`);
const hash = '51bce0c785ca2f68081bfa7d91973934';
const long = (text: string) =>
  text
    .replace(/<(\/?)(function|parameter)/g, `<$1$2_never_used_${hash}`)
    .replaceAll('tool_call>', `tool_call_never_used_${hash}>`);

function read(name: TurnFormatName, text: string) {
  const parsed = turnFormat(name, screen).parse(text);
  if (!parsed.ok) throw new Error(`${parsed.error.message} (at ${parsed.error.offset})`);
  return parsed;
}

/** As read by `parse_xml_action_v5`, `_06`, `_65` and `_02sptoken` of `ui-tars`, and UI-TARS-desktop's omni parsers. */
describe('T5 as models print it', () => {
  it.each<[string, string, RegExp | undefined, string?]>([
    ['strictly', `<thinkt>t</thinkt>${call()}`, undefined, 't'],
    ['with white space', `<think>t</think>\n\n${call(`\n${f}\n`)}\n`, undefined, 't'],
    ['with the closing tag cut off as a stop string', `<seed:tool_call>${f}`, /<\/seed:tool_call> is missing/],
    ['with a sentence before', `I will click.\n${call()}`, /before the call was taken as the thought/, 'I will click.'],
    ['with a sentence after', `${call()}\nDone.`, /text after the call was left out/],
    ['without a call tag', f, /no <seed:tool_call> around/],
    ['with a thought of another name', `<gui_think>t</gui_think>${call()}`, undefined, 't'],
    [
      'with a thought of a long name',
      `<think_never_used_${hash}>t</think_never_used_${hash}>${call()}`,
      undefined,
      't',
    ],
    ['with a thought that the prompt opened', `t</think>${call()}`, undefined, 't'],
    ['with a thought that is not closed', `<think>t\n${call()}`, /thought was read up to the call/, 't'],
    ['with long names of tags', long(call()), undefined],
    [
      'with attributes',
      call(f.replace('=click', ' name="click"').replace('=point', ' name="point" string="true"')),
      undefined,
    ],
    ['with a kind of value', call(f.replace('=point', '=point string="true"')), undefined],
    ['in capitals', call(f.replace('click', 'Click')), /Click was read as click/],
    ['with another name of a parameter', call(f.replace('=point', '=start_box')), undefined],
    [
      'with a parameter too many',
      call(f.replace('</function>', '<parameter=x>1</parameter></function>')),
      /"x" of click was left out/,
    ],
    [
      'with a parameter twice',
      call(f.replace('<parameter', '<parameter=point>1 1</parameter><parameter')),
      /twice: the last/,
    ],
    [
      'with a closing tag of a value missing',
      call(f.replace('</parameter>', '')),
      /<\/parameter> of "point" .* is missing/,
    ],
    [
      'with a closing tag of a function missing',
      call(f.replace('</function>', '')),
      /<\/function> of click is missing/,
    ],
    [
      'with a cut call after it',
      `<seed:tool_call>${f}<function=type><parameter=content>ab`,
      /the rest of the turn was left out/,
    ],
    [
      'with another turn after it',
      `${call()}<thinkt>Now</thinkt>${call('<function=wait></function>')}`,
      /second thought/,
    ],
    ['with the token of a chat template', `${call()}<|im_end|>`, undefined],
    ['as Action: text', `Thought: t\nAction: click(point='${place}')`, /read as "Action:" text/, 't'],
  ])('%s', (_, text, notice, thought) => {
    const turn = read('t5', text);
    expect(turn.actions).toEqual([click]);
    expect(turn.thought).toBe(thought);
    if (notice) expect(turn.notices?.join('\n')).toMatch(notice);
    else expect(turn.notices).toBeUndefined();
  });

  it.each([
    ...[
      '450 565',
      '(450, 565)',
      '(450,565)',
      '[450,565]',
      '450,565',
      '<point>450,565</point>',
      '<point>450 565<point>',
    ],
    ...['<point>450.0 565.00</point>', '<bbox>400 500 500 630</bbox>', '[400, 500, 500, 630]', '((450, 565))'],
    ...['<|box_start|>(450,565)<|box_end|>', '<point>400 500</point><point>500 630</point>'],
  ])('with the point %s', (point) => {
    expect(read('t5', clickAt(point)).actions).toEqual([click]);
  });

  it('with several calls, in one tag or more', () => {
    const both = [click, wait];
    expect(read('t5', call(`${f}<function=wait></function>`)).actions).toEqual(both);
    expect(read('t5', `${call()}\n${call('<function=wait></function>')}`).actions).toEqual(both);
  });

  it('with decimals, capitals, lists and objects for values', () => {
    const value = (name: string, ...args: [string, string][]) =>
      read(
        't5',
        call(`<function=${name}>${args.map(([p, v]) => `<parameter=${p}>${v}</parameter>`).join('')}</function>`),
      ).actions[0];
    expect(value('scroll', ['direction', 'Down'])).toEqual({ type: 'scroll', direction: 'down' });
    expect(value('wait', ['time', '2.5s'])).toEqual({ type: 'wait', seconds: 2.5 });
    expect(
      value(
        'str_replace_editor',
        ['command', 'view'],
        ['path', 'a'],
        ['view_range', '<list><item>1</item><item>9</item></list>'],
      ),
    ).toMatchObject({ lines: [1, 9] });
    expect(
      value(
        'mcp_tool',
        ['server', 's'],
        ['name', 't'],
        ['arguments', '<object><parameter=a>1</parameter><parameter=b>x</parameter></object>'],
      ),
    ).toMatchObject({ arguments: { a: 1, b: 'x' } });
    expect(value('type', ['content', ' <b>a</b>\n'])).toEqual({ type: 'type', text: ' <b>a</b>\n' });
    expect(value('open_computer')).toEqual({ type: 'screenshot' });
    expect(value('str_replace_editor', ['command', 'undo_edit'], ['path', 'a'])).toMatchObject({
      command: 'undo_edit',
    });
  });

  it('with a final answer and no call', () => {
    expect(read('t5', '<thinkt>t</thinkt>It is 42.')).toMatchObject({
      ...{ thought: 't', actions: [{ type: 'finished', answer: 'It is 42.' }] },
      notices: [expect.stringContaining('final answer')],
    });
    expect(read('t5', '<think>t</think><answer> 42 </answer>').actions).toEqual([{ type: 'finished', answer: '42' }]);
    for (const broken of ['<thinkt>t</thinkt>', '', '<seed:tool_call>', 'a <function=', 'a </parameter>'])
      expect(turnFormat('t5', screen).parse(broken).ok).toBe(false);
  });
});

/** As read by `ui-tars`, `@ui-tars/action-parser` and UI-TARS-desktop. */
describe('the classic format as models print it', () => {
  const c = `click(point='${place}')`;
  it.each<[string, string, RegExp | undefined, string?]>([
    ['without Action:, in prose', `I will ${c} to go on.`, /"Action:" is missing/, 'I will'],
    ['with text after it', `Thought: t\nAction: ${c}\n\nThat should do.`, /text after the action/, 't'],
    ['with text before the call', `Thought: t\nAction: I press it:\n${c}`, /text before the call/, 't'],
    ['without the last bracket', `Thought: t\nAction: ${c.slice(0, -1)}`, /"\)" of click is missing/, 't'],
    ['in a code fence', `Thought: t\nAction:\n\`\`\`python\n${c}\n\`\`\``, undefined, 't'],
    ['in capitals', `Action: ${c.replace('click', 'Click')}`, /Click was read as click/],
    ['with a value without a name', `Action: click('${place}')`, /read as its point/],
    ['with a parameter too many', `Action: click(point='${place}', x='1')`, /"x" of click was left out/],
    ['with a parameter twice', `Action: click(point='1 1', point='${place}')`, /twice: the last/],
    ['with another name of a parameter', 'Action: click(coordinate=[450, 565])', undefined],
    ['with decimals', "Action: click(start_box='(450.0,565.0)')", undefined],
    ['with another turn after it', `Thought: t\nAction: ${c}\nThought: u\nAction: wait()`, /another turn follows/, 't'],
    [
      'with a broken call after it',
      `Thought: t\nAction: ${c}\n\nclack()`,
      /left out: there is no function "clack"/,
      't',
    ],
    [
      'with a thought in tags that holds Action:',
      `<think>a\nAction: b</think>\nAction: ${c}`,
      undefined,
      'a\nAction: b',
    ],
    ['with the token of a chat template', `Thought: t\nAction: ${c}<|im_end|>`, undefined, 't'],
  ])('%s', (_, text, notice, thought) => {
    const turn = read('doubao', text);
    expect(turn.actions).toEqual([click]);
    expect(turn.thought).toBe(thought);
    if (notice) expect(turn.notices?.join('\n')).toMatch(notice);
    else expect(turn.notices).toBeUndefined();
  });
});

/** As read by UI-TARS-desktop's omni parsers. */
describe('environment tags as models print them', () => {
  const bash = '<function=execute_bash><parameter=command>ls</parameter></function>';
  const ls: AgentAction = { type: 'execute_bash', command: 'ls' };
  const search: AgentAction = { type: 'search', query: 'x' };
  const json = '[{"name":"Search","parameters":{"query":"x"}}]';
  it.each<[string, string, AgentAction[], RegExp | undefined, string?]>([
    ['text before', `Let me see.\n<code_env>${bash}</code_env>`, [ls], /taken as the thought/, 'Let me see.'],
    ['text after', `<code_env>${bash}</code_env> Done.`, [ls], /text after the environment/],
    ['a missing closing tag', `<think>t</think><code_env>${bash}`, [ls], /<\/code_env> is missing/, 't'],
    [
      'a missing closing tag of calls',
      `<mcp_env><|FunctionCallBegin|>${json}`,
      [search],
      /<\|FunctionCallEnd\|> is missing/,
    ],
    ['no tags around calls', `<mcp_env>${json}</mcp_env>`, [search], /<\|FunctionCallBegin\|> is missing/],
    ['several calls', `<code_env>${bash}${bash}</code_env>`, [ls, ls], undefined],
    [
      'arguments in a string',
      '<mcp_env><|FunctionCallBegin|>{"name":"Search","arguments":"{\\"query\\":\\"x\\"}"}<|FunctionCallEnd|></mcp_env>',
      [search],
      undefined,
    ],
    ['a call without Action:', `<computer_env>click(point='${place}')</computer_env>`, [click], undefined],
    ['open_computer', '<computer_env>\nAction: open_computer()\n</computer_env>', [{ type: 'screenshot' }], undefined],
    [
      'a call of another environment',
      `<code_env><function=Search><parameter=query>x</parameter></function></code_env>`,
      [search],
      undefined,
    ],
    ['no environment', `<think>t</think>${call()}`, [click], /no environment is named/, 't'],
    [
      'no environment, but Action:',
      `Thought: t\nAction: click(point='${place}')`,
      [click],
      /no environment is named/,
      't',
    ],
    ['a plain answer', '<think>t</think>It is 42.', [{ type: 'finished', answer: 'It is 42.' }], /final answer/, 't'],
    ['an answer that is not closed', '<answer>42', [{ type: 'finished', answer: '42' }], /<\/answer> is missing/],
    ['another turn', `<code_env>${bash}</code_env><think>u</think><answer>1</answer>`, [ls], /second thought/],
  ])('with %s', (_, text, actions, notice, thought) => {
    const turn = read('environment-tags', text);
    expect(turn.actions).toEqual(actions);
    expect(turn.thought).toBe(thought);
    if (notice) expect(turn.notices?.join('\n')).toMatch(notice);
    else expect(turn.notices).toBeUndefined();
  });
});

const pieces = fc.constantFrom(
  ...['<thinkt>', '</thinkt>', '<think>', '</think>', '<seed:tool_call>', '</seed:tool_call>', '<function=click>'],
  ...[
    '<function=type>',
    '<function name="wait">',
    '</function>',
    '<parameter=point>',
    '<parameter=content>',
    '</parameter>',
  ],
  ...[
    place,
    '450 565',
    'Thought: ',
    'Action: ',
    'click(',
    "point='",
    "')",
    'wait()',
    '\n',
    '\n\n',
    '<code_env>',
    '</code_env>',
  ],
  ...['<computer_env>', '</computer_env>', '<mcp_env>', '<answer>', '</answer>', '<|FunctionCallBegin|>', '<|im_end|>'],
  ...[
    '[{"name":"Search","parameters":{"query":"a"}}]',
    '<|FunctionCallEnd|>',
    '<list>',
    '<object>',
    '```',
    '__proto__',
    'a b',
  ],
);
const soup = fc.array(
  fc.oneof({ weight: 3, arbitrary: pieces }, { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 5 }) }),
  {
    maxLength: 25,
  },
);

it.each(turnFormatNames)('%s reads or refuses any text, and never retracts early results', (name) => {
  const format = turnFormat(name, screen);
  fc.assert(
    fc.property(soup, (texts) => {
      const stream = new TurnStream(format);
      for (const text of texts)
        for (const action of stream.push(text).actions) expect(AgentAction.parse(action)).toEqual(action);
      const source = texts.join('');
      const parsed = format.parse(source);
      if (!parsed.ok) expect(parsed.error.offset).toBeLessThanOrEqual(source.length);
      else for (const action of parsed.actions) expect(AgentAction.parse(action)).toEqual(action);
    }),
    fuzz(400),
  );
});
