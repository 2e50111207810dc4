import { z } from 'zod';
import { actionOf, callOf, calls, parameterNamed, typeNamed } from './call.js';
import type { AgentAction, SdkCall } from '../action/sdkCall.js';
import { readJson } from '../action/sdkValue.js';
import { readValue } from './t5.js';

/*
 * JSON function calls in `<mcp_env>`:
 * `<|FunctionCallBegin|>[{"name":"Search","parameters":{"query":"..."}}]<|FunctionCallEnd|>`.
 */

const [begin, end] = ['<|FunctionCallBegin|>', '<|FunctionCallEnd|>'];

const Parameters = z.preprocess(
  (given) => (typeof given === 'string' ? (given.trim() === '' ? {} : readJson(given)) : given),
  z.record(z.string(), z.unknown()).nullable().optional(),
);
/** `arguments` is OpenAI's name, with JSON in a string. */
const FunctionCall = z.object({ name: z.string(), parameters: Parameters, arguments: Parameters });
const Calls = z.preprocess((value): unknown => (Array.isArray(value) ? value : [value]), z.array(FunctionCall).min(1));

/** @throws GyreError `bad_input` for an invalid call. */
export function printFunctionCall(call: SdkCall): string {
  const { name, args } = callOf(call, 0);
  const parameters = Object.fromEntries(args.map(([parameter, value]) => [parameter.name, value]));
  return `${begin}${JSON.stringify([{ name, parameters }])}${end}`;
}

/** Never throws. */
export function parseFunctionCalls(
  source: string,
): { readonly actions: AgentAction[]; readonly notices: string[] } | { readonly wrong: string } {
  const notices: string[] = [];
  const start = source.indexOf(begin);
  const stop = source.indexOf(end, Math.max(0, start));
  if (start < 0) notices.push(`${begin} is missing`);
  if (stop < 0) notices.push(`${end} is missing`);
  const json = source.slice(start < 0 ? 0 : start + begin.length, stop < 0 ? undefined : stop);
  const list = Calls.safeParse(readJson(json.trim()));
  if (!list.success) return { wrong: 'no function call: [{"name": ..., "parameters": {...}}] is missing here' };
  const actions: AgentAction[] = [];
  for (const { name, parameters, arguments: args } of list.data) {
    const action = called(name, parameters ?? args ?? {}, notices);
    if ('wrong' in action) return action;
    actions.push(action);
  }
  return { actions, notices };
}

function called(
  name: string,
  args: Readonly<Record<string, unknown>>,
  notices: string[],
): AgentAction | { readonly wrong: string } {
  const type = typeNamed(name);
  if (type === undefined) return { wrong: `there is no function "${name}"` };
  const fields: { type: AgentAction['type'] } & Record<string, unknown> = { type };
  for (const [key, value] of Object.entries(args)) {
    const parameter = parameterNamed(calls[type].parameters, key);
    if (parameter) fields[parameter.field] = typeof value === 'string' ? readValue(parameter.kind, value) : value;
    else notices.push(`the unknown parameter "${key}" of ${name} was left out`);
  }
  return actionOf(name, fields);
}
