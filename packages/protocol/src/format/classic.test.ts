import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClassicDialect, classicDialects, parseClassic, printClassic } from './classic.js';
import type { Action } from '../action/action.js';
import { AgentAction } from '../action/sdkCall.js';
import { resizeLimits, smartResize } from '../space/resize.js';
import { fuzz } from '../fuzz.test.fixture.js';

const screen = { width: 1920, height: 1080 };
const middle: Action = { type: 'click', point: { x: 0.5, y: 0.5 } };

function actionsOf(text: string, dialect: ClassicDialect = 'doubao'): AgentAction[] {
  const parsed = parseClassic(text, { dialect, screen });
  if (!parsed.ok) throw new Error(`${parsed.error.message} (at ${parsed.error.offset})`);
  return parsed.actions;
}

function errorOf(text: string): { message: string; offset: number } {
  const parsed = parseClassic(text, { screen });
  if (parsed.ok) throw new Error(`understood as ${JSON.stringify(parsed.actions)}`);
  return parsed.error;
}

describe('what is printed', () => {
  it.each([
    ['doubao', "Thought: There it is.\nAction: click(point='<point>500 500</point>')"],
    ['ui-tars-1.0', "Thought: There it is.\nAction: click(start_box='[500, 500, 500, 500]')"],
    // 1920 x 1080 is resized to 1932 x 1092.
    ['ui-tars-1.5', "Thought: There it is.\nAction: click(start_box='<|box_start|>(966,546)<|box_end|>')"],
  ] as const)('looks as %s prints it', (dialect, text) => {
    expect(printClassic({ thought: 'There it is.', actions: [middle] }, { dialect, screen })).toBe(text);
  });

  it('separates actions by a blank line and escapes texts as Python does', () => {
    const actions: Action[] = [
      { type: 'type', text: "it's\n\\new\t" },
      { type: 'hotkey', keys: 'ctrl c' },
      { type: 'drag', start: { x: 0, y: 0 }, end: { x: 1, y: 1 } },
    ];
    const text =
      "Action: type(content='it\\'s\\n\\\\new\\t')\n\nhotkey(key='ctrl c')\n\n" +
      "drag(start_point='<point>0 0</point>', end_point='<point>1000 1000</point>')";
    expect(printClassic({ actions })).toBe(text);
    expect(actionsOf(text)).toEqual(actions);
  });

  it.each([
    ['no actions', { actions: [] }, 'actions'],
    ['a point off the screen', { actions: [{ type: 'click' as const, point: { x: 2, y: 0 } }] }, 'actions.0.point.x'],
    ['a call of the SDK', { actions: [middle, { type: 'execute_bash' as const, command: 'ls' }] }, 'actions.1'],
    ['a thought like an action', { thought: 'I say\nAction: wait()', actions: [middle] }, 'thought'],
  ])('cannot be %s', (_, message, field) => {
    expect(() => printClassic(message)).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field }) as unknown }),
    );
  });

  it('needs the screen where points are in px', () => {
    expect(() => parseClassic('', { dialect: 'ui-tars-1.5' })).toThrow(
      expect.objectContaining({ detail: expect.objectContaining({ field: 'screen' }) as unknown }),
    );
  });
});

const thoughts = fc
  .string({ unit: 'binary', maxLength: 40 })
  .map((text) => text.trim())
  .filter(
    (text) => text !== '' && !/action|thought|reflection|output|think/i.test(text) && !/[\u2028\u2029]/.test(text),
  );

describe('what was printed', () => {
  const spot = fc.record({
    x: fc.double({ min: 0, max: 1, noNaN: true }),
    y: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const anything = fc.oneof(
    spot.map((point): Action => ({ type: 'click', point })),
    fc.tuple(spot, spot).map(([start, end]): Action => ({ type: 'drag', start, end })),
    fc.string({ unit: 'binary' }).map((text): Action => ({ type: 'type', text })),
    fc.constantFrom<Action>({ type: 'wait' }, { type: 'call_user' }, { type: 'navigate_back' }, { type: 'press_home' }),
    fc.tuple(spot, fc.constantFrom('up', 'down', 'left', 'right')).map(([point, direction]): Action => ({
      type: 'scroll',
      point,
      direction,
    })),
    fc.string({ unit: 'binary' }).map((answer): Action => ({ type: 'finished', answer })),
  );
  const sides = fc.record({ width: fc.integer({ min: 64, max: 4096 }), height: fc.integer({ min: 64, max: 4096 }) });

  it.each(classicDialects)('comes back in %s, points within half a unit of its space', (dialect) => {
    fc.assert(
      fc.property(
        fc.option(thoughts, { nil: undefined }),
        fc.array(anything, { minLength: 1, maxLength: 4 }),
        sides,
        (thought, actions, size) => {
          const parsed = parseClassic(printClassic({ thought, actions }, { dialect, screen: size }), {
            dialect,
            screen: size,
          });
          if (!parsed.ok) throw new Error(parsed.error.message);
          expect(parsed.thought).toBe(thought);
          const unit =
            dialect === 'ui-tars-1.5' ? smartResize(size, resizeLimits[dialect]) : { width: 1000, height: 1000 };
          expect(parsed.actions.map(coarse(unit))).toEqual(actions.map(coarse(unit)));
        },
      ),
      fuzz(100),
    );
  });
});

function coarse({ width, height }: { width: number; height: number }) {
  return (action: AgentAction): unknown =>
    JSON.parse(
      JSON.stringify(action, (_, value: unknown) =>
        typeof value === 'object' && value !== null && 'x' in value && 'y' in value
          ? [Math.round(Number(value.x) * width), Math.round(Number(value.y) * height)]
          : value,
      ),
    );
}

describe('what is understood', () => {
  const click = "click(point='<point>500 500</point>')";
  it.each([
    ['a bare call', click, undefined],
    ['only an action', `Action: ${click}`, undefined],
    ['a full-width colon', `Thought：看到了\nAction：${click}`, '看到了'],
    [
      'a reflection and a summary',
      `Reflection: No.\nAction_Summary: Press it.\nAction: ${click}`,
      'Reflection: No.\nAction_Summary: Press it.',
    ],
    [
      'thought tags',
      `<Thought>\nHm.\n</Thought>\nAction_Summary: Press.\nAction: ${click}\n</Output>`,
      'Hm.\nAction_Summary: Press.',
    ],
    ['a think tag before Thought:', `<think>\nThought: Hm.\nAction: ${click}`, 'Hm.'],
    ['white space everywhere', `\nThought:  Hm. \n\nAction:\n  click ( point = '<point> 500  500 </point>' )\n`, 'Hm.'],
    ['double quotes', 'Action: click(point="<point>500 500</point>")', undefined],
  ])('is %s', (_, text, thought) => {
    expect(parseClassic(text)).toEqual({ ok: true, ...(thought !== undefined && { thought }), actions: [middle] });
  });

  it.each([
    ...['(500, 500)', '(500,500)', '500 500', '[500,500]', '((500, 500))', '<point>500 500<point>', '500, 500'],
    ...['400 300 600 700', '[400, 300, 600, 700]', '<bbox>400 300 600 700</bbox>', '<|box_start|>(500,500)<|box_end|>'],
    ...['500.0 500', '(400,300),(600,700)'],
  ])('is the point %s', (point) => {
    expect(actionsOf(`Action: click(start_box='${point}')`)).toEqual([middle]);
  });

  it('is a corner of the screen', () => {
    expect(actionsOf("Action: click(point='<point>0 0</point>')")).toEqual([{ type: 'click', point: { x: 0, y: 0 } }]);
  });

  it('is a text with apostrophes and brackets that the model forgot to escape', () => {
    expect(actionsOf("Action: type(content='it's (not) mine')")).toEqual([{ type: 'type', text: "it's (not) mine" }]);
    expect(actionsOf(`Action: type(content="say \\"hi\\"\\u0021\\n")`)).toEqual([
      { type: 'type', text: 'say "hi"!\n' },
    ]);
  });

  it('is several actions, with blank lines or a new Action: between them', () => {
    const two: Action[] = [
      { type: 'press', key: 'a' },
      { type: 'release', key: 'a' },
    ];
    expect(actionsOf("Action: press(key='a')\n\nrelease(key='a')")).toEqual(two);
    expect(actionsOf("Action: press(key='a')\nAction: release(key='a')")).toEqual(two);
  });

  it('is a mobile turn', () => {
    expect(
      actionsOf("Action: open_app(app_name='Clock')\n\nlong_press(point='<point>500 500</point>')\n\npress_back()"),
    ).toEqual([
      { type: 'open_app', name: 'Clock' },
      { type: 'long_press', point: middle.point },
      { type: 'press_back' },
    ]);
  });
});

describe('what is not understood', () => {
  it.each([
    ['nothing', '', /no GUI action was found/, 0],
    ['prose', 'I would click the button.', /no GUI action was found: "Action:" is missing/, 0],
    ['prose with half a call', 'I would click(the button).', /no GUI action was found: "Action:" is missing/, 0],
    ['an empty action', 'Thought: Hm.\nAction:', /no GUI action was found/, 20],
    ['an unknown function', "Action: tap(point='1 1')", /no function "tap"/, 8],
    ['a call of the SDK', "Action: execute_bash(command='ls')", /execute_bash is an SDK call/, 8],
    ['a name of the prototype', 'Action: constructor()', /no function "constructor"/, 8],
    ['an empty box', "Action: click(start_box='')", /"start_box" of click must be two numbers/, 24],
    ['a missing box', 'Action: click()', /click needs the parameter "point"/, 8],
    ['an open string', "Action: type(content='abc", /"content" of type is not closed/, 21],
  ])('is %s, and where', (_, text, message, offset) => {
    const error = errorOf(text);
    expect(error.message).toMatch(message);
    expect(error.offset).toBe(offset);
  });

  it.each(['(1.1)', '1 2 3', 'a, b', '1001 2', '-1 2', '1e2 3', '<point></point>', '1 2 3 4 5', 'NaN NaN', '1;2'])(
    'never guesses a click from the point "%s"',
    (point) => {
      expect(errorOf(`Action: click(point='${point}')`).message).toContain('"point" of click must be two numbers');
    },
  );

  it('never throws, whatever the text', () => {
    const tokens = fc.constantFrom(
      ...[
        'Thought: ',
        'Action: ',
        'Action：',
        'click(',
        "point='",
        '<point>',
        '1 2',
        '</point>',
        "')",
        '\n\n',
        'type(content=',
      ],
      ...['"', "'", '\\', ')', ',', '=', '<think>', '</Output>', 'wait()', '__proto__', '\u0000', 'finished('],
    );
    const soup = fc.array(fc.oneof(tokens, fc.string({ unit: 'binary' })), { maxLength: 30 });
    fc.assert(
      fc.property(soup, fc.constantFrom(...classicDialects), (pieces, dialect) => {
        const source = pieces.join('');
        const parsed = parseClassic(source, { dialect, screen });
        if (parsed.ok) for (const action of parsed.actions) expect(AgentAction.parse(action)).toEqual(action);
        else expect(parsed.error.offset).toBeLessThanOrEqual(source.length);
      }),
      fuzz(2000),
    );
  });
});

describe('smart resize', () => {
  // Computed by the public Python function.
  it.each([
    [{ width: 1920, height: 1080 }, 'ui-tars-1.5', { width: 1932, height: 1092 }],
    [{ width: 1280, height: 720 }, 'ui-tars-1.5', { width: 1288, height: 728 }],
    [{ width: 3840, height: 2160 }, 'ui-tars-1.0', { width: 1932, height: 1064 }],
    [{ width: 160, height: 160 }, 'ui-tars-1.5', { width: 280, height: 280 }],
    [{ width: 42, height: 4200 }, 'ui-tars-1.5', { width: 56, height: 4200 }],
  ] as const)('of %o for %s is %o', (size, model, resized) => {
    expect(smartResize(size, resizeLimits[model])).toEqual(resized);
  });

  it('keeps sides to multiples and the area within bounds', () => {
    const side = fc.integer({ min: 1, max: 8192 });
    fc.assert(
      fc.property(side, side, fc.constantFrom(...Object.values(resizeLimits)), (width, height, limits) => {
        fc.pre(Math.max(width, height) / Math.min(width, height) <= 100);
        const resized = smartResize({ width, height }, limits);
        expect(resized.width % 28 || resized.height % 28).toBe(0);
        expect(resized.width * resized.height).toBeLessThanOrEqual(limits.maxPixels * 1.1);
        expect(resized.width * resized.height).toBeGreaterThanOrEqual(limits.minPixels * 0.9);
      }),
      fuzz(100),
    );
  });

  it('refuses elongated images', () => {
    expect(() => smartResize({ width: 4001, height: 20 }, resizeLimits.doubao)).toThrow(
      expect.objectContaining({ detail: expect.objectContaining({ field: 'size' }) as unknown }),
    );
  });
});
