import { GyreError, type SdkCall, type Surface, surfaceOf } from '@gyre/protocol';
import { machineOf, type Session } from '@gyre/sandbox';
import { executeBash } from './bash.js';
import { editFile } from './editor.js';
import { runCell } from './jupyter.js';
import { callTool } from './mcpTool.js';
import { executeSearch, type SearchService } from './searchService.js';

export interface SdkPlace {
  readonly session: Session;
  readonly surfaces: readonly Surface[];
  readonly search?: SearchService | undefined;
}

/**
 * Runs an SDK call; elides the middle of long results. Throws `bad_input` with advice for unavailable surfaces, invalid
 * arguments, and failures that leave the session intact.
 */
export async function callSdk(call: SdkCall, place: SdkPlace): Promise<string> {
  const surface = surfaceOf[call.type];
  if (!place.surfaces.includes(surface)) {
    throw new GyreError('bad_input', `this task does not offer ${surface}`, {
      field: 'type',
      fix: 'act on the screen',
    });
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
      if (search !== undefined) return executeSearch(call, search);
      throw new GyreError('bad_input', 'this task does not offer search', { field: 'type', fix: 'act on the screen' });
    case 'mcp_tool':
      return callTool(call, machineOf(session));
  }
}

function leavesSessionWhole(error: unknown): error is GyreError {
  if (!(error instanceof GyreError)) return false;
  if (error.code === 'infra') return error.detail.part === 'tool_server';
  return error.code === 'storage' || error.code === 'missing';
}
