import { availableParallelism, cpus, totalmem } from 'node:os';

/** Formats `2 cores of Intel Xeon, 23 GB`. */
export function machine(): string {
  const cores = availableParallelism();
  const model = (cpus()[0]?.model ?? 'an unknown processor')
    .replace(/\s*(CPU|Processor|@.*|\((R|TM|r|tm)\))/g, '')
    .trim();
  return `${cores} ${cores === 1 ? 'core' : 'cores'} of ${model}, ${Math.round(totalmem() / 2 ** 30)} GB`;
}
