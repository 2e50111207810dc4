import type { Surface } from '../episode/task.js';
import type { Action } from './action.js';
import type { AgentAction, SdkCall } from './sdkCall.js';

export const surfaceOf: Readonly<Record<SdkCall['type'], Surface>> = {
  execute_bash: 'shell',
  str_replace_editor: 'files',
  jupyter: 'shell',
  search: 'search',
  link_reader: 'search',
  mcp_tool: 'tools',
};

export function isSdkCall(action: AgentAction): action is SdkCall {
  return isSdkType(action.type);
}

export function isSdkType(type: AgentAction['type']): type is SdkCall['type'] {
  return Object.hasOwn(surfaceOf, type);
}

export function onScreen(actions: readonly AgentAction[]): Action[] {
  return actions.filter((action) => !isSdkCall(action));
}
