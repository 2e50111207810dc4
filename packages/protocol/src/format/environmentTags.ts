import { actionMark, parseClassicPrefix, parseClassic, printClassic } from './classic.js';
import { GyreError } from '../error.js';
import type { Size } from '../action/point.js';
import { parseFunctionCalls, printFunctionCall } from './functionCall.js';
import type { AgentAction } from '../action/sdkCall.js';
import { isSdkCall, surfaceOf } from '../action/surfaceOf.js';
import { parseT5Prefix, parseT5, printT5 } from './t5.js';
import {
  type TurnPrefix,
  type TurnMessage,
  type TurnResult,
  truncationNote,
  readTurn,
  thinkEnd,
  thinkTag,
  withoutEndTokens,
} from './turn.js';

/*
 * The environment-tag format: `<think>...</think>`, then one of `<computer_env>` (classic `Action: ...`), `<code_env>`
 * (one T5 `<function=...>` for shell or files), `<mcp_env>` (one JSON call for search or MCP), or `<answer>`, which
 * ends the task.
 */

const opening = /<(computer_env|code_env|mcp_env|answer)>/;
/** A leading thought, in a tag or only closed by one: chat templates may print the opening tag. */
const thinking = new RegExp(`^\\s*(?:${thinkTag.source}([\\s\\S]*?)</\\1>|([\\s\\S]*?)${thinkEnd.source})\\s*`, 'i');

/** T5's wrapper, replaced by the environment tags. */
const [open, close] = ['<seed:tool_call>', '</seed:tool_call>'];

type Environment = 'computer_env' | 'code_env' | 'mcp_env';

function environmentOf(action: AgentAction): Environment {
  if (!isSdkCall(action)) return 'computer_env';
  const surface = surfaceOf[action.type];
  return surface === 'shell' || surface === 'files' ? 'code_env' : 'mcp_env';
}

/**
 * Prints one SDK call, `finished`, or screen actions.
 * @throws GyreError `bad_input` for anything else.
 */
export function printEnvironmentTags({ thought, actions }: TurnMessage, screen: Size): string {
  const think = thought === undefined ? '' : `<think>${thought}</think>\n`;
  if (thought?.includes('</think>')) throw refused('the thought contains its own closing tag', 'thought');
  const [first] = actions;
  if (actions.length === 1 && first?.type === 'finished') return `${think}<answer>${answerOf(first.answer)}</answer>`;
  if (actions.length === 1 && first !== undefined && isSdkCall(first)) {
    const tag = environmentOf(first);
    const call = tag === 'mcp_env' ? printFunctionCall(first) : printT5({ actions }).slice(open.length, -close.length);
    return `${think}<${tag}>${call}</${tag}>`;
  }
  const misplaced = actions.findIndex((action) => isSdkCall(action) || action.type === 'finished');
  if (misplaced >= 0)
    throw refused('a turn in this format is one SDK call, the end, or actions', `actions.${misplaced}`);
  return `${think}<computer_env>\n${printClassic({ actions }, { screen })}\n</computer_env>`;
}

/**
 * Reads leniently: surrounding text, unclosed environments, several calls, untagged T5 or classic turns, plain text as
 * the final answer. Lists deviations in `notices`; never throws.
 */
export function parseEnvironmentTags(text: string, screen: Size): TurnResult {
  const source = withoutEndTokens(text);
  const head = headOf(source);
  const notices: string[] = [];
  const actions: AgentAction[] = [];
  let { thought } = head;
  let offset = head.end;
  for (;;) {
    const rest = source.slice(offset);
    const match = opening.exec(rest);
    const skipped = rest.slice(0, match?.index);
    if (match && actions.length > 0 && thinkTag.test(skipped)) {
      notices.push('a second thought follows: what comes after it was left out');
      break;
    }
    if (!match) {
      if (actions.length === 0) return withoutTags(source, head, screen);
      if (rest.trim() !== '') notices.push('the text after the environment was left out');
      break;
    }
    if (skipped.trim() !== '') {
      const isThought = thought === undefined && actions.length === 0;
      thought ??= skipped.trim();
      notices.push(`the text before <${match[1]}> was ${isThought ? 'taken as the thought' : 'left out'}`);
    }
    const tag = match[1] as Environment | 'answer';
    const start = offset + match.index + match[0].length;
    const length = source.slice(start).indexOf(`</${tag}>`);
    if (length < 0) notices.push(`<${tag}> was read up to the end of the text: </${tag}> is missing`);
    const body = source.slice(start, length < 0 ? undefined : start + length);
    const read = readEnvironment(tag, body, screen);
    if ('wrong' in read) {
      const place = Math.min(source.length, start + read.offset);
      if (actions.length === 0) return { ok: false, error: { message: read.wrong, offset: place } };
      notices.push(truncationNote(read.wrong, place));
      break;
    }
    actions.push(...read.actions);
    notices.push(...read.notices);
    if (tag === 'answer') break;
    offset = length < 0 ? source.length : start + length + `</${tag}>`.length;
  }
  return readTurn(thought, actions, notices);
}

function headOf(source: string): { readonly thought?: string; readonly end: number } {
  const match = thinking.exec(source);
  const isBefore = match && match[0].length <= (opening.exec(source)?.index ?? Infinity);
  const thought = isBefore ? (match[2] ?? match[3] ?? '').trim() : '';
  return { ...(thought !== '' && { thought }), end: isBefore ? match[0].length : 0 };
}

function withoutTags(source: string, { thought, end }: ReturnType<typeof headOf>, screen: Size): TurnResult {
  const answer = source.slice(end).trim();
  const result = /<function|<seed:tool_call/.test(answer)
    ? parseT5(source)
    : actionMark.test(answer)
      ? parseClassic(source, { screen })
      : undefined;
  if (result)
    return result.ok
      ? readTurn(result.thought, result.actions, ['no environment is named', ...(result.notices ?? [])])
      : result;
  if (answer === '' || /<\/?(?:parameter|think)|<\|FunctionCall/i.test(answer)) {
    const message = 'no GUI action was found: <computer_env>, <code_env>, <mcp_env> or <answer> is missing here';
    return { ok: false, error: { message, offset: end } };
  }
  return readTurn(
    thought,
    [{ type: 'finished', answer }],
    ['there is no environment: the text was taken as the final answer'],
  );
}

type ReadEnvironment =
  | { readonly actions: readonly AgentAction[]; readonly notices: readonly string[] }
  | { readonly wrong: string; readonly offset: number };

/** The call decides the environment, not the tag. */
function readEnvironment(tag: Environment | 'answer', body: string, screen: Size): ReadEnvironment {
  if (tag === 'answer') return { actions: [{ type: 'finished', answer: body.trim() }], notices: [] };
  if (body.includes('<function')) {
    // Discounts the added wrapper.
    const isBare = !body.includes('<seed:tool_call');
    return read(parseT5(isBare ? `${open}${body}${close}` : body), isBare ? open.length : 0, body.length);
  }
  if (tag === 'mcp_env' || body.includes('<|FunctionCall')) {
    const parsed = parseFunctionCalls(body);
    return 'wrong' in parsed ? { wrong: parsed.wrong, offset: 0 } : parsed;
  }
  if (tag === 'code_env') return read(parseT5(`${open}${body}${close}`), open.length, body.length);
  return read(parseClassic(body.trimEnd(), { screen }), 0, body.length);
}

function read(turn: TurnResult, shift: number, length: number): ReadEnvironment {
  if (turn.ok) return { actions: turn.actions, notices: turn.notices ?? [] };
  return { wrong: turn.error.message, offset: Math.min(length, Math.max(0, turn.error.offset - shift)) };
}

/** Reads the complete part of a streaming turn. */
export function parseEnvironmentTagsPrefix(source: string, screen: Size): TurnPrefix {
  const { thought, end } = headOf(source);
  const thoughtPart = thought === undefined ? {} : { thought };
  const match = opening.exec(source.slice(end));
  if (!match) return { ...thoughtPart, actions: [] };
  const body = source.slice(end + match.index + match[0].length);
  if (body.includes(`</${match[1]}>`)) {
    const whole = parseEnvironmentTags(source, screen);
    return whole.ok ? whole : { ...thoughtPart, actions: [] };
  }
  if (match[1] === 'computer_env') return { ...thoughtPart, actions: parseClassicPrefix(body, { screen }).actions };
  if (match[1] === 'code_env') return { ...thoughtPart, actions: parseT5Prefix(`${open}${body}`).actions };
  return { ...thoughtPart, actions: [] };
}

function answerOf(answer = ''): string {
  if (answer !== answer.trim()) throw refused('an answer cannot have surrounding white space', 'actions.0.answer');
  return answer;
}

function refused(message: string, field: string): GyreError {
  return new GyreError('bad_input', message, { field, fix: 'use T5, or several turns' });
}
