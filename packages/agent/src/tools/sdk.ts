import type { Sdk } from '@gyre/sandbox';
import { callSdk } from './callSdk.js';
import { offeredTools } from './mcpTool.js';
import type { SearchService } from './searchService.js';

/** Returns the session SDK: shell, files, Jupyter, MCP tools and optional search. */
export function sessionSdk(search?: SearchService): Sdk {
  return {
    surfaces: search ? ['search'] : [],
    call: (call, place) => callSdk(call, { ...place, search }),
    tools: offeredTools,
  };
}
