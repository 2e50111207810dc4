import type { LiveState } from '@gyre/agent';
import type { EpisodeEnd, EpisodeStart, Turn, Verdict } from '@gyre/protocol';

/** `killed`: its process has died. `policy`, `paused` and `person` tell who has it. */
export type LiveStatus = 'policy' | 'paused' | 'person' | 'killed' | 'ended';

/** An episode on the wall. */
export interface LiveCard {
  readonly run: string;
  readonly id: string;
  readonly status: LiveStatus;
  /** Name of the person who has it. */
  readonly by?: string | undefined;
  readonly instruction: string;
  readonly family: string;
  readonly policy: string;
  /** Turns of the policy, and of people, who use no budget. */
  readonly turns: number;
  readonly personTurns: number;
  readonly stepBudget: number;
  /** The last turn in words. */
  readonly last: string;
  readonly reward: number;
  readonly screenshot: string;
  readonly startedAt: string;
}

/** A turn without what only training needs, and with its actions in words. */
export interface LiveTurn extends Omit<Turn, 'sample' | 'reading' | 'advice' | 'text' | 'targets'> {
  readonly words: readonly string[];
}

/** An episode in the cockpit. */
export interface LiveAnswer extends Pick<
  EpisodeStart,
  'id' | 'task' | 'policy' | 'purpose' | 'startedAt' | 'observation'
> {
  readonly run: string;
  readonly status: LiveStatus;
  readonly turns: readonly LiveTurn[];
  /** Absent if its process cannot be asked. */
  readonly live?: LiveState | undefined;
  readonly end?: EpisodeEnd | undefined;
  readonly verdict?: Verdict | undefined;
  /** The screen may change between turns. */
  readonly moves: boolean;
  /** Another task can be played after it. */
  readonly offersNext: boolean;
}

export interface NextTask {
  readonly run: string;
  readonly id: string;
}
