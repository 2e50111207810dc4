import type {
  AgentAction,
  Frame,
  Observation,
  OfferedTool,
  OracleTurn,
  Reading,
  Sample,
  Task,
  Turn,
} from '@gyre/protocol';

/** Excludes seed, split, family and id, from which the answer could be redrawn. */
export interface Assignment extends Pick<Task, 'instruction' | 'surfaces' | 'screen' | 'stepBudget'> {
  readonly tools?: readonly OfferedTool[];
}

/** Only the trainer sees rewards, targets and advice; only people what was proposed to them and what they remarked. */
export type PastTurn = Omit<Turn, 'reward' | 'targets' | 'advice' | 'at' | 'candidates' | 'edited' | 'audio' | 'mark'>;

export function pastTurn(turn: Turn): PastTurn {
  const {
    reward: _,
    targets: _targets,
    advice: _advice,
    at: _at,
    candidates: _c,
    edited: _e,
    audio: _a,
    mark: _m,
    ...seen
  } = turn;
  return seen;
}

export interface Context {
  readonly task: Assignment;
  /** Newest last: at least one, at most the episode's `screenshots`. */
  readonly screenshots: readonly Frame[];
  /** Before the first turn. */
  readonly start: Observation;
  /** Oldest first. */
  readonly turns: readonly PastTurn[];
  /** Uniform in [0, 1), seeded per episode: the only randomness to use. */
  readonly random: () => number;
  readonly episodeId: string;
  readonly signal?: AbortSignal | undefined;
}

export interface Decision {
  /** Name of the person that acted, in a replayed turn. */
  readonly by?: string;
  /** `finished` and `call_user` end the episode. */
  readonly actions: readonly AgentAction[];
  readonly thought?: string;
  readonly text?: string;
  readonly sample?: Sample;
  /** The text that the policy read on the screen. Default: the frame's reading. */
  readonly reading?: Reading | undefined;
  /** Deviations from the format; shown in the next observation. */
  readonly notices?: readonly string[];
  /** Why the text is malformed; shown in the next observation. */
  readonly refused?: string;
}

/**
 * Decides turns from the screen and its past. Serves concurrent episodes. After `infra` it is retried in the same
 * state, then the episode ends as `infra_error`; so it does at once on other `GyreError`s of `model_server`. Any other
 * error ends the run.
 */
export interface Policy {
  /** `random`, `nano`, ... */
  readonly name: string;
  decide(context: Context): Promise<Decision>;
  /**
   * Receives an episode's end, for policies with a memory. Without reward and verdict; not for cut or failed episodes.
   */
  conclude?(context: Context, end: 'finished' | 'out_of_budget' | 'stuck' | 'agent_fault'): Promise<void>;
}

/** Available to an `Oracle` only. */
export interface Solution {
  oracle(): Promise<OracleTurn>;
}

/** Not a `Policy`, so that learning policies cannot access solutions. */
export interface Oracle {
  readonly name: string;
  solve(solution: Solution, context: Context): Promise<Decision>;
}
