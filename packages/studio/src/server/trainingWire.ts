import type { EpisodeEnd } from '@gyre/protocol';
import type { SankeyLink } from '../charts/sankey.js';
import type { Family, Interval } from '../report/report.js';
import type { UpdatePoint } from '../runs/updateLine.js';
import type { EpisodeRow } from './wire.js';

/** `killed`: its process died. `stopped`: it ended before it was done. `none`: a folder of episodes only. */
export type RunState = 'running' | 'done' | 'stopped' | 'killed' | 'none';

export interface RunProgress {
  readonly state: RunState;
  /** 0..1, of the time budget; absent if that is unknown. */
  readonly share?: number;
  /** Spent so far, without interruptions. */
  readonly minutes: number;
  /** Minutes left of the time budget. */
  readonly minutesLeft?: number;
  /** The last one that finished. */
  readonly stage?: string;
  /** Command that resumes it. */
  readonly resume?: string;
}

/** Success on the dev split, or in training where nothing else is measured. */
export interface SuccessPoint extends Interval {
  readonly n: number;
}

export interface RunSummary {
  readonly progress: RunProgress;
  /** Before, after, and on what: `dev split`, `test split` or `training`. */
  readonly headline?: { readonly before: number; readonly after: number; readonly measured: string };
  /** The mean over families, oldest first. */
  readonly spark: { readonly measured: 'dev split' | 'training'; readonly points: readonly SuccessPoint[] };
}

/** A cycle of the flywheel, as far as it has come. */
export interface CyclePoint {
  readonly cycle: number;
  readonly links: readonly (SankeyLink & { readonly filter: RouteFilter })[];
  readonly leftOut: Readonly<Record<string, number>>;
  readonly pools?: Readonly<Record<'ct' | 'sft' | 'rl', number>>;
  /** Sampling weight by family, 1 on average. */
  readonly weights: Readonly<Record<string, number>>;
  readonly dev: readonly (SuccessPoint & { readonly family: string })[];
  readonly devPurpose?: string;
  readonly minutes: number;
}

/** Chooses episodes by where `routes/cycle-N.jsonl` sent them. */
export interface RouteFilter {
  readonly cycle: number;
  readonly origin?: string;
  readonly verdict?: string;
  readonly to?: string;
}

/** Rollouts at one difficulty of a family, by stretch of the updates. */
export interface DifficultyRow {
  readonly family: string;
  /** 1 the easiest, 5 the hardest. */
  readonly difficulty: number;
  readonly cells: { readonly played: number; readonly solved: number }[];
}

export interface CheckpointEntry {
  readonly file: string;
  readonly bytes: number;
  /** ms since 1970. */
  readonly modified: number;
  /** Replaced by the next one while the run goes on. */
  readonly passing: boolean;
  readonly commands: readonly { readonly verb: 'play' | 'eval' | 'export' | 'merge'; readonly command: string }[];
}

export interface TrainingAnswer extends RunSummary {
  readonly name: string;
  readonly directory: string;
  readonly seed?: number;
  /** Equal for runs that differ in nothing but the seed. */
  readonly settingsKey?: string;
  readonly families: readonly (Omit<Family, 'description' | 'oracle' | 'random' | 'start' | 'trained' | 'gain'> &
    Partial<Pick<Family, 'oracle' | 'random' | 'start' | 'trained' | 'gain'>>)[];
  readonly gain?: Family['gain'];
  readonly updates: readonly UpdatePoint[];
  readonly cycles: readonly CyclePoint[];
  readonly checkpoints: readonly CheckpointEntry[];
}

/**
 * Tells what happens in the runs. `following`: from here on, for a reader that did not resume. `missed`: so many events before
 * the next were dropped, or `null` for an unknown number.
 */
export type StudioEvent =
  | { readonly type: 'following' }
  | { readonly type: 'run.progress'; readonly run: string; readonly summary: RunSummary }
  | { readonly type: 'update'; readonly run: string; readonly update: UpdatePoint }
  | { readonly type: 'episode.begin'; readonly run: string; readonly episode: EpisodeRow }
  | {
      readonly type: 'episode.turn';
      readonly run: string;
      readonly id: string;
      /** From 0. */
      readonly turn: number;
      /** Its actions in words. */
      readonly words: readonly string[];
      /** A person whose turn it is. */
      readonly by?: string;
      readonly reward: number;
      readonly screenshot: string;
    }
  /** A person took back turns: the first `turns` are left. */
  | { readonly type: 'episode.retract'; readonly run: string; readonly id: string; readonly turns: number }
  | {
      readonly type: 'episode.end';
      readonly run: string;
      readonly id: string;
      readonly purpose: string;
      readonly turns: number;
      /** Absent if only the lake knows. */
      readonly state?: EpisodeEnd['state'];
      readonly success?: boolean;
    }
  /** Somebody else may have it now, or it is paused or resumed. */
  | { readonly type: 'episode.control'; readonly run: string; readonly id: string }
  | { readonly type: 'missed'; readonly count: number | null };
