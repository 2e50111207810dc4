import { expressesSdkCalls, GyreError, type OfferedTool, type Surface, type TurnFormatName } from '@gyre/protocol';
import { openCuaPrompt } from './openCuaPrompt.js';
import { qwenPrompt } from './qwenPrompt.js';
import { type OfferedCall, offeredCalls, sdkCallOf, toolList } from './sdkPrompt.js';

/** The report's mode `omni` is `gui` with further surfaces. */
export const promptModes = ['gui', 'game', 'phone', 'grounding'] as const;
export type PromptMode = (typeof promptModes)[number];

/** A number limits the words. */
export type Thinking = 'unrestricted' | 'efficient' | 'none' | number;

/** Returns the chat template's `enable_thinking`; undefined if the prompt alone guides the model. */
export function thinksIn(thinking: Thinking): boolean | undefined {
  return thinking === 'unrestricted' ? true : thinking === 'none' ? false : undefined;
}

const functions = {
  click: ['press the left button at a point', 'point'],
  left_double: ['press the left button twice', 'point'],
  right_single: ['press the right button', 'point'],
  drag: ['hold the left button from one point to another', 'start_point', 'end_point'],
  move_to: ['move the mouse there', 'point'],
  scroll: ['turn the wheel at a point; direction is up, down, left or right', 'point', 'direction'],
  type: ['type a text; \\n is the enter key', 'content'],
  hotkey: ['press keys together, at most three, in lower case with spaces between: ctrl c', 'key'],
  press: ['hold a key down', 'key'],
  release: ['let a key go', 'key'],
  navigate: ['open an address', 'content'],
  navigate_back: ['go back to the last page'],
  long_press: ['hold a finger on a point', 'point'],
  open_app: ['open an app by its name', 'app_name'],
  press_home: ['press the home button'],
  press_back: ['press the back button'],
  wait: ['wait for a moment, then look again'],
  finished: ['end the task, with the answer where one is asked for', 'content'],
  call_user: ['end the task because only a person can go on'],
} as const satisfies Record<string, readonly [string, ...string[]]>;
type FunctionName = keyof typeof functions;

const mouse: readonly FunctionName[] = ['click', 'left_double', 'right_single', 'drag', 'move_to', 'scroll'];
const keyboard: readonly FunctionName[] = ['type', 'hotkey', 'press', 'release'];
const ends: readonly FunctionName[] = ['wait', 'finished', 'call_user'];

/** Without a screen. */
const endings: readonly FunctionName[] = ['finished', 'call_user'];

const offered: Readonly<Record<PromptMode, readonly FunctionName[]>> = {
  gui: [...mouse, ...keyboard, 'navigate', 'navigate_back', ...ends],
  game: [...mouse, ...keyboard, ...ends],
  phone: ['click', 'long_press', 'drag', 'scroll', 'type', 'open_app', 'press_home', 'press_back', ...ends],
  grounding: ['click'],
};

const places: Readonly<Record<PromptMode, string>> = {
  gui: 'You operate a computer that you know by screenshots alone.',
  game: 'You play a game that you know by screenshots alone. If an action leaves the screen as it was, do another one.',
  phone: 'You operate a phone that you know by screenshots alone.',
  grounding: 'You find on the screenshot what the user names.',
};

export interface PromptOptions {
  readonly format: TurnFormatName;
  readonly mode: PromptMode;
  readonly thinking: Thinking;
  /** Default: the screen only. Ignored without SDK calls. */
  readonly surfaces?: readonly Surface[];
  readonly tools?: readonly OfferedTool[];
  /** Default English. */
  readonly language?: string;
}

/** @throws GyreError `bad_input` for the mode `phone` or a task without a screen in a format of screens. */
export function systemPrompt(options: PromptOptions): string {
  if (isScreenless(options) && !expressesSdkCalls(options.format)) {
    throw new GyreError('bad_input', `${options.format} has only the tool of screens, and the task has none`, {
      field: 'format',
      fix: 'use another format, such as t5',
    });
  }
  if (options.format === 'qwen3-vl') return qwenPrompt(options);
  if (options.format === 'opencua') return openCuaPrompt(options);
  return describedPrompt(options);
}

const isScreenless = ({ surfaces = ['screen'] }: Pick<PromptOptions, 'surfaces'>) => !surfaces.includes('screen');

/** Explains a format to models that may not know it. */
function describedPrompt(options: PromptOptions): string {
  const { format, mode, thinking, surfaces = [], tools = [], language = 'English' } = options;
  const calls = mode === 'grounding' ? [] : offeredCalls(format, surfaces, tools);
  const screenless = isScreenless(options);
  const list = [
    ...(screenless ? endings : offered[mode]).map((name) => `- ${callOf(format, name)}: ${functions[name][0]}`),
    ...calls.map(([call, what]) => `- ${sdkCallOf(format, call)}: ${what}`),
  ];
  const several =
    screenless || mode === 'grounding' || format === 'environment-tags'
      ? ''
      : ' You may do several things in one turn where you need not see what comes of each.';
  const choose =
    screenless || calls.length === 0
      ? ''
      : ' Some things are quicker by the functions beside the screen, others can only be done on it: choose. What a function gives comes with the next screenshot.';
  const listing = calls.some(([{ type }]) => type === 'mcp_tool') ? [toolList(tools)] : [];
  const place = screenless
    ? 'You operate a computer without a screen. You are told a task; each turn you are told what your last call gave, and answer with what to do next.'
    : `${places[mode]} You are told a task; each turn you get the newest screenshot and answer with what to do next.`;
  return [
    `${place}${several}${choose}`,
    thought(thinking, format, language),
    shape(format, thinking, { calls, screenless }),
    `What you can do:\n${list.join('\n')}`,
    ...listing,
    ...(screenless ? [] : [space(format)]),
  ].join('\n\n');
}

function thought(thinking: Thinking, format: TurnFormatName, language: string): string {
  if (thinking === 'none') return 'Do not think in writing: answer with the action alone.';
  const where =
    format === 't5'
      ? 'between <thinkt> and </thinkt>'
      : format === 'environment-tags'
        ? 'between <think> and </think>'
        : 'after "Thought:"';
  const amount =
    thinking === 'unrestricted'
      ? 'as long as it helps'
      : thinking === 'efficient'
        ? 'in one or two sentences'
        : `in at most ${thinking} words`;
  return `Before you act, think ${where}, in ${language} and ${amount}: a short plan, and last what you do next and to what.`;
}

function shape(
  format: TurnFormatName,
  thinking: Thinking,
  { calls, screenless }: { readonly calls: readonly OfferedCall[]; readonly screenless: boolean },
): string {
  const example = callOf(format, screenless ? 'finished' : 'click');
  if (format === 'environment-tags') {
    const printed = calls.map(([call]) => sdkCallOf(format, call));
    const firsts = ['<code_env>', '<mcp_env>'].flatMap((tag) => printed.find((call) => call.startsWith(tag)) ?? []);
    const code = firsts.map((call) => `\n${call}`).join('');
    const screen = screenless ? '' : `\n<computer_env>\nAction: ${example}\n</computer_env>`;
    const think = thinking === 'none' ? '' : '<think>...</think>, then ';
    return `Answer with ${think}exactly one of these and nothing else; <answer> ends the task:${screen}${code}\n<answer>...</answer>`;
  }
  if (format === 't5') {
    return `Answer in this form and nothing else:\n${thinking === 'none' ? '' : '<thinkt>...</thinkt>'}<seed:tool_call>${example}</seed:tool_call>`;
  }
  return `Answer in this form and nothing else, several actions a blank line apart:\n${thinking === 'none' ? '' : 'Thought: ...\n'}Action: ${example}`;
}

function callOf(format: TurnFormatName, name: FunctionName): string {
  const [, ...parameters] = functions[name];
  if (format === 't5') {
    const values = parameters.map((parameter) => `<parameter=${parameter}>${valueOf(format, parameter)}</parameter>`);
    return `<function=${name}>${values.join('')}</function>`;
  }
  const values = parameters.map((parameter) => `${nameOf(format, parameter)}='${valueOf(format, parameter)}'`);
  return `${name}(${values.join(', ')})`;
}

function nameOf(format: TurnFormatName, parameter: string): string {
  if (format === 'doubao' || format === 'environment-tags' || !parameter.endsWith('point')) return parameter;
  return parameter === 'end_point' ? 'end_box' : 'start_box';
}

function valueOf(format: TurnFormatName, parameter: string): string {
  if (!parameter.endsWith('point')) return '...';
  if (format === 'ui-tars-1.5') return '<|box_start|>(x,y)<|box_end|>';
  return format === 'ui-tars-1.0' ? '[x1, y1, x2, y2]' : '<point>x y</point>';
}

function space(format: TurnFormatName): string {
  return format === 'ui-tars-1.5'
    ? 'Points are in pixels of the screenshot.'
    : 'Points are integers from 0 to 1000, across and down the screenshot.';
}
