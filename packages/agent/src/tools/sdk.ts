import type { Sdk } from '@gyre/sandbox';
import { callSdk } from './callSdk.js';
import { offeredTools } from './mcpTool.js';
import type { SearchService } from './searchService.js';

export function sessionSdk(search?: SearchService): Sdk {
  return {
    surfaces: search ? ['search'] : [],
    call: (call, place) => callSdk(call, { ...place, search }),
    tools: offeredTools,
  };
}
