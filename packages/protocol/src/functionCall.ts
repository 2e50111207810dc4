import { z } from 'zod';
import { actionOf, callOf, calls, typeOf } from './call.js';
import type { AgentAction, SdkCall } from './sdkCall.js';
import { readJson } from './sdkValue.js';

/*
 * A function call in JSON, as it stands in `<mcp_env>`:
 * `<|FunctionCallBegin|>[{"name":"Search","parameters":{"query":"..."}}]<|FunctionCallEnd|>`.
 */

const [begin, end] = ['<|FunctionCallBegin|>', '<|FunctionCallEnd|>'];

const Calls = z.array(
  z.strictObject({ name: z.string(), parameters: z.record(z.string(), z.unknown()).nullable().optional() }),
);

/** @throws GyreError `bad_input` for a call that does not fit its schema. */
export function printFunctionCall(call: SdkCall): string {
  const { name, given } = callOf(call, 0);
  const parameters = Object.fromEntries(given.map(([parameter, value]) => [parameter.name, value]));
  return `${begin}${JSON.stringify([{ name, parameters }])}${end}`;
}

/** The call that a text says, or what is wrong with it. Never throws. */
export function parseFunctionCall(source: string): AgentAction | { readonly wrong: string } {
  const text = source.trim();
  if (!text.startsWith(begin) || !text.endsWith(end) || text.length < begin.length + end.length)
    return { wrong: `${begin}[...]${end} is missing here` };
  const list = Calls.safeParse(readJson(text.slice(begin.length, -end.length)));
  const [call, ...others] = list.data ?? [];
  if (call === undefined) return { wrong: 'no function call: [{"name": ..., "parameters": {...}}] is missing here' };
  if (others.length > 0) return { wrong: 'there is more than one function' };
  const type = typeOf.get(call.name);
  if (type === undefined) return { wrong: `there is no function "${call.name}"` };
  const fields: { type: AgentAction['type'] } & Record<string, unknown> = { type };
  for (const [name, value] of Object.entries(call.parameters ?? {})) {
    const parameter = calls[type].parameters.find((parameter) => parameter.name === name);
    if (!parameter) return { wrong: `${call.name} has no parameter "${name}"` };
    fields[parameter.field] = value;
  }
  return actionOf(call.name, fields);
}
