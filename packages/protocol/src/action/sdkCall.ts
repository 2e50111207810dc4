import { z } from 'zod';
import { Action } from './action.js';
import { FileEdit } from './fileEdit.js';
import type { Surface } from '../episode/task.js';

/**
 * Functions of the SDK: what an agent does beside the screen, where its task has the surface for it ({@link surfaceOf}). They stand
 * apart from the actions of the screen, of which the native policy has a token each.
 */
export const SdkCall = z.discriminatedUnion('type', [
  /**
   * Runs a command in the session's shell, which keeps its directory and variables from call to call, and waits `seconds` for its end.
   * While one still runs, an empty command waits on, keys such as `C-c` are pressed, and with `input` a line is typed into it.
   */
  z.strictObject({
    type: z.literal('execute_bash'),
    command: z.string(),
    input: z.boolean().optional(),
    seconds: z.number().positive().max(600).optional(),
  }),
  FileEdit,
  /** Runs a cell in the session's Jupyter kernel, which keeps its variables; it is interrupted after `seconds`. */
  z.strictObject({
    type: z.literal('jupyter'),
    code: z.string().min(1),
    seconds: z.number().positive().max(600).optional(),
  }),
  /** Searches for pages. */
  z.strictObject({ type: z.literal('search'), query: z.string().min(1) }),
  /** Reads the text of a page; `description` says what for. */
  z.strictObject({ type: z.literal('link_reader'), url: z.string().min(1), description: z.string().optional() }),
  /** Calls a tool of one of the session's MCP servers. */
  z.strictObject({
    type: z.literal('mcp_tool'),
    server: z.string().min(1),
    tool: z.string().min(1),
    arguments: z.record(z.string(), z.json()).optional(),
  }),
]);
export type SdkCall = z.infer<typeof SdkCall>;

/** What a task must have for a call. */
export const surfaceOf: Readonly<Record<SdkCall['type'], Surface>> = {
  execute_bash: 'shell',
  str_replace_editor: 'files',
  jupyter: 'shell',
  search: 'search',
  link_reader: 'search',
  mcp_tool: 'tools',
};

/** Whatever an agent may do in a turn. */
export const AgentAction = z.discriminatedUnion('type', [...Action.options, ...SdkCall.options]);
export type AgentAction = z.infer<typeof AgentAction>;

export function isSdkCall(action: AgentAction): action is SdkCall {
  return isSdkType(action.type);
}

export function isSdkType(type: AgentAction['type']): type is SdkCall['type'] {
  return Object.hasOwn(surfaceOf, type);
}

/** Those of a turn's actions that are taken on the screen. */
export function onScreen(actions: readonly AgentAction[]): Action[] {
  return actions.filter((action) => !isSdkCall(action));
}
