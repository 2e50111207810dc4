import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../action/action.js';
import { AgentAction } from '../../action/sdkCall.js';
import { fuzz } from '../../fuzz.test.fixture.js';
import { resizeLimits, smartResize } from '../../space/resize.js';
import { computerActions, ends, plainThoughts, rounded, sizes } from '../turns.test.fixture.js';
import { TurnStream } from '../turnStream.js';
import { parseOpenCua, parseOpenCuaPrefix, printOpenCua } from './openCua.js';

/** Resized to 1932 x 1092. */
const screen = { width: 1920, height: 1080 };
const point = { x: 0.25, y: 0.5 };
const place = 'x=483, y=546';
const turn = (code: string, fence = 'python') => `## Action:\nGo on.\n\n## Code:\n\`\`\`${fence}\n${code}\n\`\`\``;

describe('a turn of opencua', () => {
  it('is printed as its training data has it', () => {
    expect(
      printOpenCua({ thought: 'The menu is shut.\n\nOpen it.', actions: [{ type: 'click', point }] }, screen),
    ).toBe(
      '## Thought:\nThe menu is shut.\n\n## Action:\nOpen it.\n\n## Code:\n```python\npyautogui.click(x=483, y=546)\n```',
    );
    expect(printOpenCua({ actions: [{ type: 'finished' }] }, screen)).toBe(
      "## Code:\n```code\ncomputer.terminate(status='success')\n```",
    );
    const typed: Action = { type: 'type', text: 'it\'s "```"\n' };
    expect(printOpenCua({ actions: [typed] }, screen)).toContain(
      String.raw`pyautogui.write(message='it\'s "\x60` + '``"\\n\')',
    );
  });

  it.each<[string, Action[]]>([
    [`pyautogui.click(${place})`, [{ type: 'click', point }]],
    ['pyautogui.click(x=0.25, y=0.5)', [{ type: 'click', point }]],
    ['pyautogui.click(x=0, y=0)', [{ type: 'click', point: { x: 0, y: 0 } }]],
    [`pyautogui.rightClick(${place})`, [{ type: 'right_click', point }]],
    [`pyautogui.tripleClick(${place})`, [{ type: 'double_click', point }]],
    [`computer.triple_click(${place})`, [{ type: 'double_click', point }]],
    [`computer.tripleClick(${place})`, [{ type: 'double_click', point }]],
    [
      `pyautogui.moveTo(${place})\npyautogui.dragTo(x=0, y=0, button='left')`,
      [{ type: 'drag', start: point, end: { x: 0, y: 0 } }],
    ],
    [`pyautogui.moveTo(${place})\npyautogui.scroll(-3)`, [{ type: 'scroll', point, direction: 'down' }]],
    ['pyautogui.hscroll(10)', Array<Action>(2).fill({ type: 'scroll', direction: 'right' })],
    ["pyautogui.hotkey(keys=['ctrl', 'c'])", [{ type: 'hotkey', keys: 'ctrl c' }]],
    ["pyautogui.press(keys=['enter'])", [{ type: 'hotkey', keys: 'enter' }]],
    ['pyautogui.write(message="it\'s")', [{ type: 'type', text: "it's" }]],
    ['import time\ntime.sleep(3)\ncomputer.wait()', [{ type: 'wait', seconds: 3 }, { type: 'wait' }]],
    ["computer.terminate(status='success')", [{ type: 'finished' }]],
    ["computer.terminate(status=\"success\", answer='''42''')", [{ type: 'finished', answer: '42' }]],
    ["computer.terminate(status='fail')", [{ type: 'call_user' }]],
    ["computer.terminate(status='failure')", [{ type: 'call_user' }]],
  ])('has %s', (code, actions) => {
    expect(parseOpenCua(turn(code), screen)).toMatchObject({ ok: true, thought: 'Go on.', actions });
  });

  it('takes the size of the picture into account', () => {
    const text = turn('pyautogui.click(x=644, y=364)');
    const spot = (width: number, height: number) => parseOpenCua(text, { width, height });
    expect(spot(1280, 720)).toMatchObject({ actions: [{ point: { x: 0.5, y: 0.5 } }] });
    expect(spot(1920, 1080)).toMatchObject({ actions: [{ point: { x: 1 / 3, y: 1 / 3 } }] });
  });

  const click = `pyautogui.click(${place})`;
  const fenced = `\`\`\`python\n${click}\n\`\`\``;
  it.each<[string, string, string | undefined, RegExp | undefined]>([
    [
      'a step and an observation',
      `# Step 3:\n## Observation:\nO\n\n## Thought:\nT\n\n${turn(click)}`,
      'O\n\nT\n\nGo on.',
      undefined,
    ],
    ['headings without marks', `Thought: T\nAction: A\nCode:\n${fenced}`, 'T\n\nA', undefined],
    ['no heading', `I click.\n${fenced}`, 'I click.', undefined],
    ['only a block', fenced, undefined, undefined],
    ['no block', `## Action:\nA\n\n## Code:\n${click}`, 'A', /no code block/],
    ['a bare line', `Here:\n${click}`, 'Here:', /no code block/],
    ['an open block', `## Code:\n\`\`\`python\n${click}`, undefined, /end of the code block/],
    ['text after it', `${turn(click)}\n\nDone.`, 'Go on.', /text after the code/],
    ['an end token', `${turn(click)}<|im_end|>`, 'Go on.', undefined],
  ])('is read with %s', (_, text, thought, notice) => {
    const parsed = parseOpenCua(text, screen);
    expect(parsed).toMatchObject({ ok: true, actions: [{ type: 'click', point }] });
    if (!parsed.ok) return;
    expect(parsed.thought).toBe(thought);
    if (notice) expect(parsed.notices?.join('\n')).toMatch(notice);
    else expect(parsed.notices).toBeUndefined();
  });

  const offset = turn('').indexOf('```python\n') + '```python\n'.length;
  it.each<[string, RegExp, number]>([
    ['', /a code block is missing/, 0],
    ['## Thought:\nHm.', /a code block is missing/, 15],
    [turn(''), /the code has no calls/, offset],
    [turn("import os\nos.system('ls')"), /not understood: code that is not only calls/, offset],
    [turn("os.system('ls')"), /not understood: os.system/, offset],
    [turn('pyautogui.click(x=1933, y=0)'), /pyautogui.click \(off the screen\)/, offset],
    [turn('pyautogui.click(x=-1, y=0)'), /off the screen/, offset],
    [turn('pyautogui.click()'), /no point/, offset],
    [turn(`pyautogui.dragTo(${place})`), /no start point/, offset],
    [turn('computer.terminate()'), /status of computer.terminate/, offset],
    [turn("pyautogui.press('hyper')"), /key hyper/, offset],
    [turn(`${click}\nfor i in range(3): pass`), /not only calls/, offset],
  ])('is not %s', (text, message, place) => {
    const parsed = parseOpenCua(text, screen);
    if (parsed.ok) throw new Error(JSON.stringify(parsed));
    expect(parsed.error.message).toMatch(message);
    expect(parsed.error.offset).toBe(place);
  });

  it.each<[AgentAction[], string | undefined, string]>([
    [[], undefined, 'actions'],
    [[{ type: 'wait' }, { type: 'navigate', url: 'a' }], undefined, 'actions.1'],
    [[{ type: 'search', query: 'a' }], undefined, 'actions.0'],
    [[{ type: 'press', key: 'hyper' }], undefined, 'key'],
    [[{ type: 'wait' }], 'a\n## Code:', 'thought'],
    [[{ type: 'wait' }], 'a\n\n\nb', 'thought'],
    [[{ type: 'wait' }], '', 'thought'],
  ])('cannot be %j with %j', (actions, thought, field) => {
    expect(() => printOpenCua({ thought, actions }, screen)).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field }) as unknown }),
    );
  });
});

describe('a turn that was printed for opencua', () => {
  const holding = fc.constantFrom<Action>(
    { type: 'press', key: 'shift' },
    { type: 'release', key: 'arrowleft' },
    { type: 'mouse_down', point, button: 'right' },
    { type: 'mouse_up' },
  );
  const turns = fc
    .tuple(fc.array(fc.oneof(computerActions, holding), { maxLength: 3 }), ends)
    .map(([actions, end]) => [...actions, end]);
  const thoughts = fc.option(plainThoughts, { nil: undefined });

  it('comes back, whole and in pieces', () => {
    fc.assert(
      fc.property(
        turns,
        thoughts,
        sizes,
        fc.array(fc.nat(40), { maxLength: 20 }),
        (actions, thought, size, lengths) => {
          const text = printOpenCua({ thought, actions }, size);
          const stream = new TurnStream({
            parse: (source) => parseOpenCua(source, size),
            beginning: (source) => parseOpenCuaPrefix(source, size),
            closing: /`/,
          });
          const streamed: AgentAction[] = [];
          let offset = 0;
          for (const length of [...lengths, Infinity]) {
            streamed.push(...stream.push(text.slice(offset, offset + length)).actions);
            offset += length;
          }
          const parsed = stream.end();
          if (!parsed.ok) throw new Error(parsed.error.message);
          const units = smartResize(size, resizeLimits.opencua);
          expect(parsed.notices).toBeUndefined();
          expect(parsed.thought).toBe(thought);
          expect(rounded(parsed.actions, units)).toEqual(rounded(actions, units));
          expect(streamed).toEqual(parsed.actions);
        },
      ),
      fuzz(200),
    );
  });
});

it('opencua reads or refuses any text', () => {
  const marks = fc.constantFrom(
    ...['## Thought:', '## Action:\n', '## Code:\n', '# Step 1', '```', '```python\n', '```code\n', '\n', 'Code:'],
    ...[
      'pyautogui.click(',
      'x=0.5, y=1',
      'x=40, y=2',
      ')',
      'computer.terminate(',
      "status='success'",
      'computer.wait()',
    ],
    ...["pyautogui.press('a')", 'time.sleep(1)', '"', "'", '\\', 'import os'],
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(marks, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 20 }), (texts) => {
      const source = texts.join('');
      const parsed = parseOpenCua(source, screen);
      if (parsed.ok) for (const action of parsed.actions) expect(AgentAction.parse(action)).toEqual(action);
      else expect(parsed.error.offset).toBeLessThanOrEqual(source.length);
      parseOpenCuaPrefix(source, screen);
    }),
    fuzz(1000),
  );
});
