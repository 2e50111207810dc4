import type { Job, Policy } from '@gyre/agent';
import { type Environment, EnvironmentWrapper, type Frame, type ResetOptions, type Verdict } from '@gyre/protocol';

/** Divides episode time into waiting for decisions and for the environment. */
export class RolloutClock {
  readonly #now: () => number;

  #deciding = 0;
  #playing = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  policy(policy: Policy): Policy {
    return {
      name: policy.name,
      decide: async (context) => {
        const began = this.#now();
        try {
          return await policy.decide(context);
        } finally {
          this.#deciding += this.#now() - began;
        }
      },
    };
  }

  /** Ignores attempts without a verdict. */
  job(job: Job): Job {
    const onPlayed = (ms: number): void => void (this.#playing += ms);
    return { ...job, open: (machines) => new TimedEnvironment(job.open(machines), this.#now, onPlayed) };
  }

  /** Returns the share spent on decisions since the last call; 0 without episodes. */
  inference(): number {
    const share = this.#playing > 0 ? Math.min(1, this.#deciding / this.#playing) : 0;
    this.#deciding = 0;
    this.#playing = 0;
    return share;
  }
}

class TimedEnvironment extends EnvironmentWrapper {
  readonly #now: () => number;
  readonly #onPlayed: (ms: number) => void;
  #began = 0;

  constructor(inner: Environment, now: () => number, onPlayed: (ms: number) => void) {
    super(inner);
    this.#now = now;
    this.#onPlayed = onPlayed;
  }

  override reset(options?: ResetOptions): Promise<Frame> {
    this.#began = this.#now();
    return super.reset(options);
  }

  override async verdict(): Promise<Verdict | undefined> {
    const verdict = await super.verdict();
    this.#onPlayed(this.#now() - this.#began);
    return verdict;
  }
}
