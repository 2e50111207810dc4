import type { Point, Size } from '../../action/point.js';
import { resizeLimits, smartResize } from '../../space/resize.js';
import { emptyTurn, inseparableThought } from '../inexpressible.js';
import { splitThought } from '../paragraphs.js';
import { actionsOfCalls } from '../pyautogui/codeActions.js';
import { printCode } from '../pyautogui/printCode.js';
import { readPyautogui } from '../pyautogui/pyautogui.js';
import { requireAction } from '../requireAction.js';
import { type TurnMessage, type TurnPrefix, type TurnResult, readTurn, withoutEndTokens } from '../turn.js';
import { sectionsOf } from './sections.js';

/*
 * OpenCUA's turns: `## Thought:`, `## Action:`, and `## Code:` with pyautogui in a code block (xlang-ai/OpenCUA,
 * evaluation/agentnetbench/agent/opencua.py; xlang-ai/OSWorld, mm_agents/opencua). Coordinates are px of the picture as
 * Qwen2.5-VL resizes it. Numbers from 0 to 1 with a fraction are shares of the screen, as OpenCUA-Qwen2-7B prints them.
 */

/**
 * Prints a thought's last paragraph as the action, those before it as the thought, and all actions in one code block.
 * @throws GyreError `bad_input` for no actions, an action that pyautogui lacks, or a thought that would not be read
 * back.
 */
export function printOpenCua({ thought, actions }: TurnMessage, screen: Size): string {
  if (actions.length === 0) throw emptyTurn('opencua');
  const size = smartResize(screen, resizeLimits.opencua);
  const place = ({ x, y }: Point) => `x=${Math.round(x * size.width)}, y=${Math.round(y * size.height)}`;
  const lines = actions.flatMap((action, index) => printCode(requireAction(action, index), index, place));
  const fence = lines.some((line) => line.startsWith('computer.')) ? 'code' : 'python';
  const code = `## Code:\n\`\`\`${fence}\n${lines.join('\n')}\n\`\`\``;
  if (thought === undefined) return code;
  const { reasoning, step } = splitThought(thought);
  const printed = `${reasoning === undefined ? '' : `## Thought:\n${reasoning}\n\n`}## Action:\n${step}\n\n${code}`;
  if (sectionsOf(printed).thought !== thought)
    throw inseparableThought('use a thought without headings and code blocks, and without surrounding white space');
  return printed;
}

/**
 * Reads leniently: headings without `##`, a missing fence, code without a heading, an observation. Lists deviations in
 * `notices`; never throws. Code that is not only known calls with literals is an error: a program is carried out whole
 * or not at all.
 */
export function parseOpenCua(text: string, screen: Size): TurnResult {
  const { thought, code, notices } = sectionsOf(withoutEndTokens(text));
  if ('missing' in code)
    return { ok: false, error: { message: 'no GUI action was found: a code block is missing', offset: code.missing } };
  const wrong = (message: string): TurnResult => ({ ok: false, error: { message, offset: code.offset } });
  const program = readPyautogui(code.text, { lenient: true });
  if (!program.ok) return wrong(`the code was not understood: ${program.problem}`);
  const size = smartResize(screen, resizeLimits.opencua);
  const read = actionsOfCalls(program.calls, { pointOf: (x, y) => pointOf(x, y, size), isLive: true });
  if (!read.ok) return wrong(`the code was not understood: ${read.problem}`);
  if (read.actions.length === 0) return wrong('no GUI action was found: the code has no calls');
  return readTurn(thought, read.actions, [...notices, ...read.notices]);
}

/** Reads a streaming turn, whose code is complete once its block is closed. */
export function parseOpenCuaPrefix(source: string, screen: Size): TurnPrefix {
  const { thought, code } = sectionsOf(source);
  if (!('isClosed' in code && code.isClosed && code.hasHeading)) return { actions: [] };
  const parsed = parseOpenCua(source, screen);
  return { ...(thought !== undefined && { thought }), actions: parsed.ok ? parsed.actions : [] };
}

function pointOf(x: number, y: number, { width, height }: Size): Point | undefined {
  const isShare = x <= 1 && y <= 1 && !(Number.isInteger(x) && Number.isInteger(y));
  const point = isShare ? { x, y } : { x: x / width, y: y / height };
  const isOnScreen = Object.values(point).every((share) => share >= 0 && share <= 1);
  return isOnScreen ? point : undefined;
}
