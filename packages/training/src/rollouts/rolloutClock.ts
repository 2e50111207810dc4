import type { Job, Policy } from '@gyre/agent';

/** Divides the time of concurrent episodes into waiting for decisions and for the environment. */
export class RolloutClock {
  private deciding = 0;
  private playing = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

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

  /** Times a job up to its verdict; jobs that the infrastructure ends do not count. */
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

  /** Returns the share of time since the last call that waited for decisions; 0 without episodes. */
  inference(): number {
    const share = this.playing > 0 ? Math.min(1, this.deciding / this.playing) : 0;
    this.deciding = 0;
    this.playing = 0;
    return share;
  }
}
