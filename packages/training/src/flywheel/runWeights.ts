import type { WeightsHolder } from './journal.js';
import type { Learner, StoredEngine } from './learner.js';

/** The weights of a run, for its journal: the policy's and, once there is a critic, the critic's beside them. */
export class RunWeights implements WeightsHolder {
  readonly #learner: Pick<Learner, 'engine' | 'extension'>;
  critic: StoredEngine | undefined;

  constructor(learner: Pick<Learner, 'engine' | 'extension'>) {
    this.#learner = learner;
  }

  get extension(): Learner['extension'] {
    return this.#learner.extension;
  }

  async save(path: string): Promise<void> {
    await this.#learner.engine.save(path);
    await this.critic?.save(criticOf(path));
  }

  async load(path: string): Promise<void> {
    await this.#learner.engine.load(path);
    await this.critic?.load(criticOf(path));
  }

  discard(path: string): Promise<boolean> {
    const owner = path.endsWith(criticSuffix) ? this.critic : this.#learner.engine;
    return owner?.discard?.(path) ?? Promise.resolve(true);
  }
}

const criticSuffix = '.critic';
const criticOf = (path: string): string => `${path}${criticSuffix}`;
