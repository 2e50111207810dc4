import { ExecutableCache } from '../executableCache.js';

/** Of all graphs of one engine together, as they are estimated: those of large screens take a gigabyte each. */
const mostBytes = 4e9;

/** The compiled graphs of a policy, by kind and shape. */
export class CompiledGraphs extends ExecutableCache {
  constructor(threads: number) {
    super({ threads, bytes: mostBytes });
  }
}
