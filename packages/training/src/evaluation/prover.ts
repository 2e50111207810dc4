import { runEpisode } from '@gyre/agent';
import { GyreError } from '@gyre/protocol';
import { type Session, SessionEnvironment } from '@gyre/sandbox';
import type { Proof, Trial } from '@gyre/tasks';
import type { Player } from './rollouts.js';

/**
 * Returns a prover that counts a policy's successes on tasks. A scripted policy tries once; no solution is a failure. A
 * machine's error is thrown.
 */
export function prover({
  policy,
  screenshots,
  lease,
  tries,
  seed,
  signal,
}: Pick<Player, 'policy' | 'screenshots'> & {
  readonly lease: () => Promise<Session>;
  readonly tries: number;
  readonly seed: number;
  readonly signal: AbortSignal;
}): (trial: Trial) => Promise<Proof> {
  const scripted = 'solve' in policy;
  return async (trial) => {
    const { task } = trial;
    const proof = { policy: policy.name, tries: 0, successes: 0 };
    while (proof.tries < (scripted ? 1 : tries) && !signal.aborted) {
      const environment = new SessionEnvironment({
        task,
        machines: { lease },
        setUp: (...args) => trial.setUp(...args),
      });
      try {
        const options = { environment, policy, screenshots, signal, purpose: 'synth' };
        const { end, verdict } = await runEpisode({ ...options, seed: seed + proof.tries });
        if (end.state === 'cut') break;
        if (end.state === 'infra_error')
          throw new GyreError('infra', end.message, { part: end.part ?? 'machine', fix: 'try again' });
        if (verdict?.success) proof.successes++;
      } catch (error) {
        if (!scripted || (error instanceof GyreError && error.code !== 'bad_input')) throw error;
      } finally {
        await environment.close();
      }
      proof.tries++;
    }
    return proof;
  };
}
