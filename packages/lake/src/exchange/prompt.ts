import { type Action, printIfExpressible, type Size, type TurnFormatName, turnFormat } from '@gyre/protocol';

export const systemPrompt = 'You are a GUI agent: you work on a computer by what its screen shows.';

const a = { x: 0.25, y: 0.5 };
const b = { x: 0.75, y: 0.5 };

const examples: readonly Action[] = [
  { type: 'click', point: a },
  { type: 'double_click', point: a },
  { type: 'right_click', point: a },
  { type: 'mouse_move', point: a },
  { type: 'drag', start: a, end: b },
  { type: 'scroll', direction: 'down', point: a },
  { type: 'type', text: 'text to type' },
  { type: 'hotkey', keys: 'ctrl c' },
  { type: 'press', key: 'shift' },
  { type: 'release', key: 'shift' },
  { type: 'wait' },
  { type: 'finished', answer: 'the answer, where one is asked for' },
  { type: 'call_user' },
];

export function userPrompt(instruction: string, format: TurnFormatName, screen: Size): string {
  const language = turnFormat(format, screen);
  return [
    'Do the task below on the screen that you are shown. In every turn say what you think and then act.',
    '## How to answer',
    language.print({ thought: 'a short plan and the next step', actions: [{ type: 'click', point: a }] }),
    '## Actions',
    examples.flatMap((action) => printIfExpressible(language, { actions: [action] }) ?? []).join('\n'),
    '## Task',
    instruction,
  ].join('\n\n');
}
