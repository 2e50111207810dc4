import { z } from 'zod';
import { Action } from './action.js';
import { FileEdit } from './fileEdit.js';

/**
 * Off-screen actions, which need a surface (`surfaceOf`). Only screen actions have a token each in the native
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

export const AgentAction = z.discriminatedUnion('type', [...Action.options, ...SdkCall.options]);
export type AgentAction = z.infer<typeof AgentAction>;
