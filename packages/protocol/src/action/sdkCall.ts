import { z } from 'zod';
import { Action } from './action.js';
import { FileEdit } from './fileEdit.js';
import type { Surface } from '../episode/task.js';

/**
 * Off-screen actions, which need a surface ({@link surfaceOf}). Only screen actions have a token each in the native
 * policy.
 */
export const SdkCall = z.discriminatedUnion('type', [
  /**
   * Runs in a stateful shell, waiting up to `seconds`. While a command runs, an empty one waits, `C-c` and the like
   * press keys, and `input` types a line.
   */
  z.strictObject({
    type: z.literal('execute_bash'),
    command: z.string(),
    input: z.boolean().optional(),
    seconds: z.number().positive().max(600).optional(),
  }),
  FileEdit,
  /** Stateful; interrupted after `seconds`. */
  z.strictObject({
    type: z.literal('jupyter'),
    code: z.string().min(1),
    seconds: z.number().positive().max(600).optional(),
  }),
  z.strictObject({ type: z.literal('search'), query: z.string().min(1) }),
  /** `description` says what to look for. */
  z.strictObject({ type: z.literal('link_reader'), url: z.string().min(1), description: z.string().optional() }),
  z.strictObject({
    type: z.literal('mcp_tool'),
    server: z.string().min(1),
    tool: z.string().min(1),
    arguments: z.record(z.string(), z.json()).optional(),
  }),
]);
export type SdkCall = z.infer<typeof SdkCall>;

export const surfaceOf: Readonly<Record<SdkCall['type'], Surface>> = {
  execute_bash: 'shell',
  str_replace_editor: 'files',
  jupyter: 'shell',
  search: 'search',
  link_reader: 'search',
  mcp_tool: 'tools',
};

export const AgentAction = z.discriminatedUnion('type', [...Action.options, ...SdkCall.options]);
export type AgentAction = z.infer<typeof AgentAction>;

export function isSdkCall(action: AgentAction): action is SdkCall {
  return isSdkType(action.type);
}

export function isSdkType(type: AgentAction['type']): type is SdkCall['type'] {
  return Object.hasOwn(surfaceOf, type);
}

export function onScreen(actions: readonly AgentAction[]): Action[] {
  return actions.filter((action) => !isSdkCall(action));
}
