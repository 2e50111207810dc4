import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Action } from '../action/action.js';
import type { AgentAction } from '../action/sdkCall.js';
import { parseClassicPrefix, parseClassic, printClassic } from './classic.js';
import { parseT5Prefix, parseT5, printT5 } from './t5.js';
import { TurnStream } from './turnStream.js';
import { fuzz } from '../fuzz.test.fixture.js';

const formats = [
  { name: 'T5', print: printT5, reader: { parse: parseT5, beginning: parseT5Prefix, closing: />/ } },
  {
    name: 'classic',
    print: printClassic,
    reader: { parse: parseClassic, beginning: parseClassicPrefix, closing: /[\n)(]/ },
  },
] as const;

const actions = fc.array(
  fc.oneof(
    fc.string().map((text): Action => ({ type: 'type', text })),
    fc.constantFrom<Action>(
      { type: 'wait' },
      { type: 'click', point: { x: 0.5, y: 0.25 } },
      { type: 'finished', answer: '(a)' },
    ),
  ),
  { minLength: 1, maxLength: 5 },
);
const thought = fc.option(fc.stringMatching(/^[a-z][a-z <>&.\n]{0,30}[a-z]$/), { nil: undefined });

it.each(formats)('$name gives the same in pieces as whole, and each part once', ({ print, reader }) => {
  fc.assert(
    fc.property(thought, actions, fc.array(fc.nat(40), { maxLength: 30 }), (thought, actions, lengths) => {
      fc.pre(thought === undefined || !/thinkt?>/.test(thought));
      const text = print({ thought, actions });
      const stream = new TurnStream<{ ok: boolean }>(reader);
      const received: { thoughts: string[]; actions: AgentAction[] } = { thoughts: [], actions: [] };
      let offset = 0;
      for (const length of [...lengths, Infinity]) {
        const delta = stream.push(text.slice(offset, offset + length));
        if (delta.thought !== undefined) received.thoughts.push(delta.thought);
        received.actions.push(...delta.actions);
        offset += length;
      }
      const whole = stream.end();
      expect(whole).toEqual({ ok: true, ...(thought !== undefined && { thought }), actions });
      expect(received.thoughts).toEqual(thought === undefined ? [] : [thought]);
      // The last classic call is complete only at the end.
      expect(actions.slice(0, received.actions.length)).toEqual(received.actions);
      expect(received.actions.length).toBeGreaterThanOrEqual(actions.length - 1);
    }),
    fuzz(100),
  );
});

it('yields an action before the next one begins', () => {
  const stream = new TurnStream({ parse: parseT5, beginning: parseT5Prefix, closing: />/ });
  expect(stream.push('<thinkt>Hm.</thi')).toEqual({ actions: [] });
  expect(stream.push('nkt><seed:tool_call><function=wait></func')).toEqual({ thought: 'Hm.', actions: [] });
  expect(stream.push('tion>')).toEqual({ actions: [{ type: 'wait' }] });
  expect(stream.end()).toMatchObject({ ok: true, actions: [{ type: 'wait' }], notices: [expect.any(String)] });
});
