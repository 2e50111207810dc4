import { beginningOfClassic, parseClassic, printClassic } from './classic.js';
import { GyreError } from './error.js';
import type { Size } from './point.js';
import { parseFunctionCall, printFunctionCall } from './functionCall.js';
import { type AgentAction, isSdkCall, surfaceOf } from './sdkCall.js';
import { beginningOfT5, parseT5, printT5 } from './t5.js';
import type { Beginning, TurnMessage, TurnResult } from './turn.js';

/*
 * The environment-tag format: `<think>...</think>`, then exactly one of
 * `<computer_env>` with `Action: ...` of the classic format, `<code_env>` with one `<function=...>` of T5 for the shell and the files,
 * `<mcp_env>` with one call in JSON for search and tools of MCP, and `<answer>`, which ends the task.
 */

/** Names of thought tags that models print. */
const thinking = /^\s*<(think(?:_\w+)?)>([\s\S]*?)<\/\1>\s*/;

/** The whole of an environment. */
const environment = /^<(computer_env|code_env|mcp_env|answer)>([\s\S]*)<\/\1>\s*$/;

/** What wraps a function in T5, which this format has its own tags for. */
const [open, close] = ['<seed:tool_call>', '</seed:tool_call>'];

type Environment = 'computer_env' | 'code_env' | 'mcp_env';

function environmentOf(action: AgentAction): Environment {
  if (!isSdkCall(action)) return 'computer_env';
  const surface = surfaceOf[action.type];
  return surface === 'shell' || surface === 'files' ? 'code_env' : 'mcp_env';
}

/**
 * Prints one turn. A turn is of one environment: calls of the SDK, one a turn, or actions of the screen, or the end.
 * @throws GyreError `bad_input` for a turn of several environments, and for what the classic format or T5 cannot say.
 */
export function printEnvironmentTags({ thought, actions }: TurnMessage, screen: Size): string {
  const think = thought === undefined ? '' : `<think>${thought}</think>\n`;
  if (thought?.includes('</think>')) throw refused('the thought holds the tag that ends it', 'thought');
  const [first] = actions;
  if (actions.length === 1 && first?.type === 'finished') return `${think}<answer>${answerOf(first.answer)}</answer>`;
  if (actions.length === 1 && first !== undefined && isSdkCall(first)) {
    const tag = environmentOf(first);
    const call = tag === 'mcp_env' ? printFunctionCall(first) : printT5({ actions }).slice(open.length, -close.length);
    return `${think}<${tag}>${call}</${tag}>`;
  }
  const other = actions.findIndex((action) => isSdkCall(action) || action.type === 'finished');
  if (other >= 0)
    throw refused('a turn of this format is one call of the SDK, or the end, or actions', `actions.${other}`);
  return `${think}<computer_env>\n${printClassic({ actions }, { screen })}\n</computer_env>`;
}

/** Reads one turn. It never throws for a text, and never guesses. */
export function parseEnvironmentTags(source: string, screen: Size): TurnResult {
  const [before = '', , thought] = thinking.exec(source) ?? [];
  const failed = (message: string, at: number): TurnResult => ({ ok: false, error: { message, at } });
  const rest = source.slice(before.length);
  const lead = rest.length - rest.trimStart().length;
  const found = environment.exec(rest.trimStart());
  const start = before.length + lead;
  if (!found) {
    const unclosed = /^<(computer_env|code_env|mcp_env|answer)>/.exec(rest.trimStart())?.[1];
    return unclosed === undefined
      ? failed('no GUI action was found: <computer_env>, <code_env>, <mcp_env> or <answer> is missing here', start)
      : failed(`<${unclosed}> is not closed, or there is text after it`, start);
  }
  const [, tag = '', body = ''] = found;
  const inside = start + tag.length + '<>'.length;
  const told = thought === undefined ? {} : { thought: thought.trim() };
  if (tag === 'answer') return { ok: true, ...told, actions: [{ type: 'finished', answer: body.trim() }] };
  const alien = `<${tag}> holds a function of another environment`;
  if (tag === 'mcp_env') {
    const call = parseFunctionCall(body);
    if ('wrong' in call) return failed(call.wrong, inside);
    return environmentOf(call) === tag ? { ok: true, ...told, actions: [call] } : failed(alien, inside);
  }
  const isCode = tag === 'code_env';
  const parsed = isCode ? parseT5(`${open}${body.trim()}${close}`) : parseClassic(body.trimEnd(), { screen });
  if (!parsed.ok) {
    // Where it stands in the whole text, and not in what was put around it.
    const shift = isCode ? body.length - body.trimStart().length - open.length : 0;
    return failed(parsed.error.message, Math.min(source.length, Math.max(inside, inside + shift + parsed.error.at)));
  }
  if (isCode && parsed.actions.length > 1) return failed('<code_env> holds more than one function', inside);
  if (parsed.actions.some((action) => environmentOf(action) !== tag)) return failed(alien, inside);
  return { ok: true, ...told, actions: parsed.actions };
}

/** What is whole in the beginning of a turn, as it streams in. */
export function beginningOfEnvironmentTags(source: string, screen: Size): Beginning {
  const [before = '', , thought] = thinking.exec(source) ?? [];
  const told = thought === undefined ? {} : { thought: thought.trim() };
  const rest = source.slice(before.length).trimStart();
  const whole = parseEnvironmentTags(source, screen);
  if (whole.ok) return whole;
  if (rest.startsWith('<computer_env>'))
    return { ...told, actions: beginningOfClassic(rest.slice('<computer_env>'.length), { screen }).actions };
  if (rest.startsWith('<code_env>'))
    return { ...told, actions: beginningOfT5(`${open}${rest.slice('<code_env>'.length)}`).actions };
  return { ...told, actions: [] };
}

function answerOf(answer = ''): string {
  if (answer !== answer.trim()) throw refused('an answer cannot keep white space around it', 'actions.0.answer');
  return answer;
}

function refused(message: string, field: string): GyreError {
  return new GyreError('bad_input', message, { field, fix: 'say it in T5, or in several turns' });
}
