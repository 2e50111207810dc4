import {
  AgentAction,
  type Candidate,
  type EpisodeEnd,
  Mark,
  type Observation,
  type Size,
  type Turn,
  type Verdict,
} from '@gyre/protocol';
import { z } from 'zod';
import type { Agreement } from '../annotation/agreement.js';
import type { Queue } from '../annotation/queue.js';

/** Names of people are shown to others and stored. */
const person = z.string().trim().min(1).max(60);
/** Turns that the page knows of: another number means that it is out of date. */
const index = z.int().nonnegative();
const list = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z.array(z.string().min(1)).optional(),
);

export const QueueQuery = z.strictObject({ family: list });

export const ClaimRequest = z.strictObject({
  by: person,
  /** One of GET /api/policies, or `newest`: the run's last checkpoint. */
  policy: z.string().min(1),
  families: z.array(z.string().min(1)).min(1).optional(),
  /** Default: the first in the queue. */
  task: z.string().min(1).optional(),
  /** SPDX. */
  licence: z.string().trim().min(1).max(100).optional(),
  /** Samples per turn. */
  samples: z.int().min(1).max(16).default(4),
});

export const CandidatesRequest = z.strictObject({ index, again: z.boolean().default(false) });

export const ActRequest = z.strictObject({
  index,
  thought: z.string().max(20_000).optional(),
  actions: z.array(AgentAction).min(1).max(20),
  candidate: z.int().nonnegative().optional(),
  comment: z.string().trim().min(1).max(2_000).optional(),
});

export const IndexRequest = z.strictObject({ index });

export const ProceedRequest = z.strictObject({
  index,
  turns: z.int().min(1).max(100).default(5),
  /** Share of the samples that must agree. */
  share: z.number().min(0).max(1).default(0.75),
});

export const SubmitRequest = z.strictObject({
  index,
  /** Number of the last turn worth training on; -1: none is. */
  lastGood: z.int().min(-1).optional(),
  reason: z.string().trim().min(1).max(2_000).optional(),
});

export const ReviewRequest = z.strictObject({
  by: person,
  success: z.boolean(),
  verdict: z.enum(['accept', 'return']),
  reason: z.string().trim().min(1).max(2_000).optional(),
  lastGoodTurn: z.int().min(-1).optional(),
  turns: z.array(z.strictObject({ turn: z.int().nonnegative(), mark: Mark })).optional(),
});

export interface AnnotatedTurn extends Pick<Turn, 'index' | 'by' | 'thought' | 'actions' | 'edited' | 'mark'> {
  readonly observation: Observation;
}

export interface AnnotationState {
  readonly episode: string;
  readonly by: string;
  readonly policy: string;
  readonly task: {
    readonly id: string;
    readonly family: string;
    readonly instruction: string;
    readonly stepBudget: number;
  };
  readonly screen: Size;
  /** Before the first turn. */
  readonly observation: Observation;
  readonly turns: readonly AnnotatedTurn[];
  readonly outcome?: { readonly end: EpisodeEnd; readonly verdict?: Verdict };
}

export interface CandidatesAnswer {
  readonly index: number;
  readonly candidates: readonly Candidate[];
  /** Describes each, with the texts that it aims at. */
  readonly words: readonly string[];
  /** Samples without an action that could be read. */
  readonly malformed: number;
}

export interface ProceedAnswer {
  readonly taken: number;
  readonly state: AnnotationState;
}

export interface SubmitAnswer {
  readonly episode: string;
  readonly success: boolean | null;
}

export interface PersonTotals {
  readonly by: string;
  readonly episodes: number;
  readonly turns: number;
  readonly overridden: number;
  readonly edited: number;
}

export interface QueueAnswer extends Queue {
  readonly people: readonly PersonTotals[];
}

export interface ReviewAnswer {
  /** Pools that took the episode. */
  readonly pools: readonly string[];
}

export interface ReviewsAnswer extends Agreement {
  readonly waiting: readonly {
    readonly episode: string;
    readonly task: string;
    readonly by: string;
    readonly success: boolean | null;
  }[];
}
