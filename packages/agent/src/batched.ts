import { GyreError } from '@gyre/protocol';

export interface BatchOptions {
  /** The most items in one call. */
  maxBatch: number;
  /** How long an idle `run` waits for company after the first item, in ms. Default 1. */
  waitMs?: number;
}

interface Request<I, O> {
  item: I;
  resolve(output: O): void;
  reject(error: unknown): void;
}

/**
 * Joins requests that arrive at about the same time into one call of `run`, one call at a time and in order of arrival.
 * What arrives during a call makes up the next one, which starts as soon as the first is done.
 *
 * @returns a function that resolves to its own item's output. If `run` throws, the callers of that call get the error
 *   and nobody else; if it returns another number of outputs than it got items, they get a GyreError 'shape'.
 * @throws GyreError 'bad_input' if `maxBatch` is not a positive integer.
 */
export function batched<I, O>(
  run: (items: I[]) => Promise<readonly O[]>,
  { maxBatch, waitMs = 1 }: BatchOptions,
): (item: I) => Promise<O> {
  if (!Number.isInteger(maxBatch) || maxBatch < 1) {
    throw new GyreError('bad_input', `maxBatch is ${maxBatch}`, {
      field: 'maxBatch',
      fix: 'give an integer of 1 or more',
    });
  }
  const waiting: Request<I, O>[] = [];
  let running = false;
  let timer: NodeJS.Timeout | undefined;

  async function drain(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxBatch);
      try {
        const outputs = await run(batch.map(({ item }) => item));
        if (outputs.length !== batch.length) {
          throw new GyreError('shape', `a batch of ${batch.length} items gave ${outputs.length} outputs`, {
            field: 'outputs',
          });
        }
        outputs.forEach((output, index) => batch[index]!.resolve(output));
      } catch (error) {
        for (const request of batch) request.reject(error);
      }
    }
    running = false;
  }

  return (item) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running) return;
      if (waiting.length >= maxBatch) void drain();
      else timer ??= setTimeout(() => void drain(), waitMs);
    });
}
