import { GyreError, type SdkCall, type Surface, surfaceOf } from '@gyre/protocol';
import { machineOf, type Session } from '@gyre/sandbox';
import { executeBash } from './bash.js';
import { editFile } from './editor.js';
import { runCell } from './jupyter.js';
import { callTool } from './mcpTool.js';
import { lookUp, type SearchService } from './searchService.js';

/** What the calls of an agent work on. */
export interface SdkPlace {
  readonly session: Session;
  /** Of the task: what the agent may call. */
  readonly surfaces: readonly Surface[];
  readonly search?: SearchService | undefined;
}

/**
 * Makes a call of the SDK; gives what the agent is told of it, with the middle of what is too long left out. Throws `bad_input`, which
 * says what to do, where the task does not have the surface or the session nothing of the kind, for arguments that do not fit, and for
 * failures that leave the session whole: a full disk, something that is not installed, a tool that dies.
 */
export async function callSdk(call: SdkCall, place: SdkPlace): Promise<string> {
  const surface = surfaceOf[call.type];
  if (!place.surfaces.includes(surface)) {
    throw new GyreError('bad_input', `this task has no ${surface}`, { field: 'type', fix: 'act on the screen' });
  }
  try {
    return await answer(call, place);
  } catch (error) {
    if (!leavesSessionWhole(error)) throw error;
    const { field, fix } = error.detail;
    throw new GyreError('bad_input', error.message, {
      ...(field !== undefined && { field }),
      ...(fix !== undefined && { fix }),
      cause: error,
    });
  }
}

async function answer(call: SdkCall, { session, search }: SdkPlace): Promise<string> {
  switch (call.type) {
    case 'execute_bash':
      return executeBash(call.command, machineOf(session), call);
    case 'str_replace_editor':
      return editFile(call, machineOf(session));
    case 'jupyter':
      return runCell(call, machineOf(session));
    case 'search':
    case 'link_reader':
      if (search !== undefined) return lookUp(call, search);
      throw new GyreError('bad_input', 'there is nothing to search here', { field: 'type', fix: 'act on the screen' });
    case 'mcp_tool':
      return callTool(call, machineOf(session));
  }
}

/** Whether a call failed and the session is as good as before. */
function leavesSessionWhole(error: unknown): error is GyreError {
  if (!(error instanceof GyreError)) return false;
  if (error.code === 'infra') return error.detail.part === 'tool_server';
  return error.code === 'storage' || error.code === 'missing';
}
