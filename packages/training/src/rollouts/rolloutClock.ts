import type { Job, Policy } from '@gyre/agent';

/**
 * Tells what episodes that are played at once wait for: their policy to decide, or anything else, which is the environment. The wall clock
 * cannot tell, on which both go on at the same time; the time of the episodes, added up, can.
 */
export class RolloutClock {
  private deciding = 0;
  private playing = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The same policy, timed. */
  policy(policy: Policy): Policy {
    return {
      name: policy.name,
      decide: async (context) => {
        const began = this.now();
        try {
          return await policy.decide(context);
        } finally {
          this.deciding += this.now() - began;
        }
      },
    };
  }

  /** The same job, timed from its start to its verdict: one that the infrastructure ends is not. */
  job(job: Job): Job {
    return {
      ...job,
      start: async (session) => {
        const began = this.now();
        const run = await job.start(session);
        return {
          ...(run.instruction !== undefined && { instruction: run.instruction }),
          oracle: () => run.oracle(),
          step: (finished) => run.step(finished),
          verdict: async () => {
            const verdict = await run.verdict();
            this.playing += this.now() - began;
            return verdict;
          },
        };
      },
    };
  }

  /** Of the time of the episodes since the last call, the part in which they waited for a decision, 0..1; 0 where there was none. */
  inference(): number {
    const share = this.playing > 0 ? Math.min(1, this.deciding / this.playing) : 0;
    this.deciding = 0;
    this.playing = 0;
    return share;
  }
}
