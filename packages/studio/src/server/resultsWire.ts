import type { AttemptedTasks, Comparison } from '@gyre/training';

/** A policy as it was evaluated. */
export interface ResultColumn {
  readonly id: string;
  readonly policy: string;
  /** Absent where several are joined: random, oracle and people. */
  readonly run?: string;
  readonly purpose?: string;
  /** `recorded`: a baseline without episodes. */
  readonly kind: 'policy' | 'script' | 'human' | 'recorded';
  /** Over the tasks of all families; absent without episodes. */
  readonly overall?: Attempted;
  /** By family. */
  readonly cells: Readonly<Record<string, ResultCell>>;
  readonly infraErrors: number;
  readonly cut: number;
  readonly unjudged: number;
}

type Attempted = Pick<AttemptedTasks, 'tasks' | 'passAt' | 'solvedWithin'>;

export type ResultCell = Pick<AttemptedTasks, 'success' | 'low' | 'high' | 'tasks'> &
  Partial<Pick<AttemptedTasks, 'attempts' | 'meanTurns' | 'passAt' | 'solvedWithin'>>;

export interface ResultsAnswer {
  readonly split: 'test' | 'dev';
  readonly columns: readonly ResultColumn[];
  /** Families by suite, in the order of the catalogue. */
  readonly suites: readonly { readonly name: string; readonly families: readonly string[] }[];
}

/** A flip whose episodes are of these runs. */
export interface FlippedTask {
  readonly task: string;
  readonly before: { readonly run: string; readonly episode: string };
  readonly after: { readonly run: string; readonly episode: string };
}

export interface CompareAnswer extends Pick<
  Comparison,
  'overall' | 'families' | 'novelty' | 'otherBudgets' | 'solvedWithin'
> {
  readonly unpaired: { readonly onlyBefore: number; readonly onlyAfter: number; readonly changed: number };
  readonly gained: readonly FlippedTask[];
  readonly lost: readonly FlippedTask[];
  /** Counts all flips; the lists may be cut. */
  readonly flips: { readonly gained: number; readonly lost: number };
}
