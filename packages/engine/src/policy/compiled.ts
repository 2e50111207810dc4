import { ExecutableCache } from '../executableCache.js';

/** The compiled graphs of a policy, by kind and shape. */
export class CompiledGraphs extends ExecutableCache {
  constructor(threads: number) {
    super({ threads });
  }
}
