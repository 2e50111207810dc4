/** What one way of practising came to, with one seed. */
export interface PracticeMeasurement {
  variant: string;
  seed: number;
  /** Of practice until its last update, evaluation left out. */
  minutes: number;
  /** Decisions that updates learnt from. */
  learnt: number;
  /** Success on held-out tasks by family. */
  start: Record<string, number>;
  trained: Record<string, number>;
  /** The verifiers' mean scores on the same tasks, 0..1. */
  scores?: Record<'start' | 'trained', Record<string, number>>;
  /** Held-out explained variance by epoch of value pretraining, where there was a critic. */
  pretraining?: number[];
  curve: {
    environmentSteps: number;
    success: Record<string, number>;
    entropy: number;
    kl: number;
    /** Of an episode, and sampled tokens of a turn, of them its thought; means. */
    turns: number;
    responseTokens: number;
    thoughtTokens: number;
    explainedVariance?: number;
    /** Of the values before an update with the returns that followed. */
    valueCorrelation?: number;
  }[];
}
