import { z } from 'zod';
import { readJson } from '../../action/sdkValue.js';
import { emptyTurn, inseparableThought } from '../inexpressible.js';
import { joinThought, splitThought } from '../paragraphs.js';
import { requireAction } from '../requireAction.js';
import {
  type TurnMessage,
  type TurnPrefix,
  type TurnResult,
  readTurn,
  truncationNote,
  withoutEndTokens,
} from '../turn.js';
import { ComputerUseReader, printComputerUse } from './computerUse.js';
import { pythonJson } from './pythonJson.js';

/*
 * Qwen3-VL's turns: an `Action: ...` line, then calls of `computer_use` as JSON in `<tool_call>` (xlang-ai/OSWorld,
 * mm_agents/qwen3vl_agent.py). A `Thought: ...` line and `<think>` may come before them.
 */

const [open, close] = ['<tool_call>', '</tool_call>'];

/**
 * Prints `Action: ...` and one `<tool_call>` per call; a thought of several paragraphs begins with `Thought: ...`.
 * @throws GyreError `bad_input` for no actions, an action that the function lacks, or a thought that would not be read
 * back.
 */
export function printQwen3Vl({ thought, actions }: TurnMessage): string {
  if (actions.length === 0) throw emptyTurn('qwen3-vl');
  const calls = actions.flatMap((action, index) => printComputerUse(requireAction(action, index), index));
  const printed = calls.map((args) => `${open}\n${pythonJson({ name: 'computer_use', arguments: args })}\n${close}`);
  return [...(thought === undefined ? [] : [printThought(thought)]), ...printed].join('\n');
}

function printThought(thought: string): string {
  const { reasoning, step } = splitThought(thought);
  const printed = `${reasoning === undefined ? '' : `Thought: ${reasoning}\n`}Action: ${step}`;
  if (printed.includes(open) || thoughtIn(printed) !== thought)
    throw inseparableThought(
      'use a thought without tags and lines such as "Action:", and without surrounding white space',
    );
  return printed;
}

/**
 * Reads leniently: tagged thoughts, a missing `Action:`, a missing closing tag, several calls, arguments in a string, a
 * bare line of JSON. Lists deviations in `notices`; never throws.
 *
 * Calls that cannot be carried out are an error; after others the rest is dropped.
 */
export function parseQwen3Vl(text: string): TurnResult {
  const source = withoutEndTokens(text);
  const first = source.indexOf(open);
  return first < 0 ? parseBare(source) : parseCalls(source, first);
}

/** Reads the closed calls of a streaming turn. */
export function parseQwen3VlPrefix(source: string): TurnPrefix {
  const first = source.indexOf(open);
  const end = source.lastIndexOf(close);
  const thought = first < 0 ? undefined : thoughtIn(source.slice(0, first));
  const parsed = end < 0 ? undefined : parseQwen3Vl(source.slice(0, end + close.length));
  const actions = parsed?.ok ? parsed.actions : [];
  // A drag or click may still take the move as its start.
  const settled = actions.at(-1)?.type === 'mouse_move' ? actions.slice(0, -1) : actions;
  return { ...(thought !== undefined && { thought }), actions: settled };
}

function parseCalls(source: string, first: number): TurnResult {
  const reader = new ComputerUseReader();
  for (let start = first; start >= 0;) {
    const begin = start + open.length;
    const end = source.indexOf(close, begin);
    if (end < 0) reader.notices.push(`${close} is missing`);
    const problem = readCall(source.slice(begin, end < 0 ? undefined : end), reader);
    if (problem !== undefined) {
      const offset = begin + leadingBlanks(source.slice(begin));
      if (reader.actions.length === 0) return { ok: false, error: { message: problem, offset } };
      reader.notices.push(truncationNote(problem, offset));
      break;
    }
    const rest = end < 0 ? source.length : end + close.length;
    start = source.indexOf(open, rest);
    const skipped = source.slice(rest, start < 0 ? undefined : start);
    if (start >= 0 && nextTurn.test(skipped)) {
      reader.notices.push('another turn follows: it was left out');
      break;
    }
    if (skipped.trim() !== '') reader.notices.push('the text after a call was left out');
  }
  return readTurn(thoughtIn(source.slice(0, first)), reader.actions, reader.notices);
}

const nextTurn = /^[ \t]*(?:Thought|Action)[ \t]*[:：]|<think/im;
const bareCall = /^[ \t]*\{.*"arguments".*\}[ \t]*$/m;

function parseBare(source: string): TurnResult {
  const match = bareCall.exec(source);
  if (!match) {
    const message = `no GUI action was found: ${open} is missing`;
    return { ok: false, error: { message, offset: source.length } };
  }
  const reader = new ComputerUseReader();
  const problem = readCall(match[0], reader);
  if (problem !== undefined) return { ok: false, error: { message: problem, offset: match.index } };
  const notices = [`there is no ${open} around the call`, ...reader.notices];
  return readTurn(thoughtIn(source.slice(0, match.index)), reader.actions, notices);
}

const ToolCall = z.object({
  name: z.string(),
  arguments: z.preprocess(
    (given) => (typeof given === 'string' ? readJson(given) : given),
    z.record(z.string(), z.unknown()),
  ),
});

/** Returns why the call cannot be carried out. */
function readCall(json: string, reader: ComputerUseReader): string | undefined {
  const call = ToolCall.safeParse(readJson(json.trim()));
  if (!call.success) return 'the tool call is not {"name": "computer_use", "arguments": {...}}';
  const { name, arguments: args } = call.data;
  return name === 'computer_use' ? reader.add(args) : `there is no function "${name}"`;
}

const tagged = /^\s*(?:<think>)?([\s\S]*?)<\/think>/;
const thoughtLabel = /^\s*Thought[ \t]*[:：]/i;
const actionLabel = /^[ \t]*Action[ \t]*[:：]/im;

function thoughtIn(head: string): string | undefined {
  const [before = '', thinking] = tagged.exec(head) ?? [];
  const rest = head.slice(before.length).replace(thoughtLabel, '');
  const label = actionLabel.exec(rest);
  const parts = label ? [rest.slice(0, label.index), rest.slice(label.index + label[0].length)] : [rest];
  return joinThought([thinking, ...parts]);
}

function leadingBlanks(text: string): number {
  return text.length - text.trimStart().length;
}
