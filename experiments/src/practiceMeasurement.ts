/** One variant with one seed. */
export interface PracticeMeasurement {
  variant: string;
  seed: number;
  /** Training until its last update, without evaluation. */
  minutes: number;
  /** Decisions that updates trained on. */
  learnt: number;
  /** Success on held-out tasks by family. */
  start: Record<string, number>;
  trained: Record<string, number>;
  /** The verifiers' mean scores on the same tasks, 0..1. */
  scores?: Record<'start' | 'trained', Record<string, number>>;
  /** Held-out explained variance by epoch of value pretraining. */
  pretraining?: number[];
  curve: {
    environmentSteps: number;
    success: Record<string, number>;
    entropy: number;
    kl: number;
    /** Mean turns per episode, then mean sampled tokens per turn and per thought. */
    turns: number;
    responseTokens: number;
    thoughtTokens: number;
    explainedVariance?: number;
    /** Correlation of the values before an update with the returns after it. */
    valueCorrelation?: number;
  }[];
}
