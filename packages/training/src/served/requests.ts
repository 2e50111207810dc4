import type { Datum, Engine, Loss } from '@gyre/engine';

/** Far below what servers take: 256 MiB (`serveTinker`) and 1 GiB (SkyRL 0.4). */
const requestBytes = 64 * 2 ** 20;

/** Accounts for a token's id, its target, and three numbers. */
const tokenBytes = 24;

/**
 * Splits data into requests in order: one at least, and more where pictures make it large.
 *
 * @param limit in bytes; a larger datum is a request of its own
 */
export function requestsOf(data: readonly Datum[], limit = requestBytes): Datum[][] {
  const requests: Datum[][] = [[]];
  let total = 0;
  for (const datum of data) {
    const bytes = bytesOf(datum);
    if (total > 0 && total + bytes > limit) {
      requests.push([]);
      total = 0;
    }
    requests.at(-1)!.push(datum);
    total += bytes;
  }
  return requests;
}

function bytesOf({ input, weights }: Datum): number {
  const pictures = input.reduce((sum, piece) => sum + ('picture' in piece ? piece.picture.png.length : 0), 0);
  return pictures + weights.length * tokenBytes;
}

/** Forwards data in requests that servers take. */
export async function forwardInRequests(
  engine: Engine,
  data: readonly Datum[],
): Promise<{ logprobs: number[][]; policyVersion: number }> {
  const logprobs: number[][] = [];
  let policyVersion = 0;
  for (const request of requestsOf(data)) {
    const result = await engine.forward(request);
    logprobs.push(...result.logprobs);
    policyVersion = result.policyVersion;
  }
  return { logprobs, policyVersion };
}

/** Accumulates the gradient in requests that servers take: an `Engine` sums. Returns log-probabilities. */
export async function forwardBackwardInRequests(
  engine: Engine,
  data: readonly Datum[],
  loss: Loss,
): Promise<number[][]> {
  const logprobs: number[][] = [];
  for (const request of requestsOf(data)) logprobs.push(...(await engine.forwardBackward(request, loss)).logprobs);
  return logprobs;
}
