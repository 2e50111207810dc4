import type { Episode, EpisodeEnd } from '@gyre/protocol';
import { z } from 'zod';
import type { ReplayResult } from '../recorded/replayEpisode.js';
import { facetNames } from './episodeCondition.js';

/** A folder with a lake. */
export interface RunEntry {
  /** Names it in URLs. */
  readonly name: string;
  readonly directory: string;
  /** Ended ones; null while a large lake is read for the first time. */
  readonly episodes: number | null;
  readonly running: number;
  /** It records updates of a policy. */
  readonly trains: boolean;
}

/** A row of the table of episodes. */
export interface EpisodeRow {
  readonly id: string;
  readonly family: string;
  readonly split: string;
  readonly seed: number;
  readonly instruction: string;
  readonly policy: string;
  /** The oldest weights that sampled a turn; null if nothing was sampled. */
  readonly policyVersion: number | null;
  readonly purpose: string;
  readonly startedAt: string;
  readonly state: EpisodeEnd['state'] | 'running';
  /** Null without a verdict. */
  readonly success: boolean | null;
  readonly score: number | null;
  readonly turns: number;
  readonly reward: number;
  readonly forkOf: string | null;
  readonly forkTurn: number | null;
  readonly firstScreenshot: string;
}

export interface EpisodePage {
  /** That match, on all pages. */
  readonly total: number;
  readonly rows: readonly EpisodeRow[];
}

export type FacetName = (typeof facetNames)[number];
/** The values of a column and their numbers of episodes, the most frequent first. */
export type Facets = Readonly<Record<FacetName, readonly { readonly value: string; readonly count: number }[]>>;

const sortable = ['started_at', 'family', 'instruction', 'policy', 'turn_count', 'score', 'reward', 'state'] as const;
const list = z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(z.string()).optional());
/** Query string of the table of episodes. */
export const EpisodeQuery = z.strictObject({
  ...(Object.fromEntries(facetNames.map((name) => [name, list])) as Record<FacetName, typeof list>),
  /** Within the instruction, without regard to case, or the beginning of the id of an episode or task. */
  text: z.string().optional(),
  /** Bounds of the start, ISO 8601: the first is included, the last is not. */
  from: z.iso.datetime().optional(),
  to: z.iso.datetime().optional(),
  difficulty: z.coerce.number().int().min(1).max(5).optional(),
  /** Finds what `routes/cycle-N.jsonl` sent so: the cycle, and any of the rest. */
  cycle: z.coerce.number().int().min(0).optional(),
  origin: z.string().max(40).optional(),
  verdict: z.string().max(40).optional(),
  route: z.string().max(40).optional(),
  sort: z.enum(sortable).default('started_at'),
  order: z.enum(['ascending', 'descending']).default('descending'),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
  offset: z.coerce.number().int().min(0).default(0),
});
export type EpisodeQuery = z.infer<typeof EpisodeQuery>;

export interface EpisodeAnswer {
  readonly episode: Episode;
  readonly running: boolean;
  readonly forks: readonly EpisodeRow[];
  /** Why its frames cannot be repeated; undefined if they can. */
  readonly notReplayable?: string;
}

export const SqlRequest = z.strictObject({ sql: z.string().min(1).max(20_000) });

export interface SqlAnswer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly more: boolean;
}

export const ForkRequest = z.strictObject({
  /** Turns to keep. */
  turn: z.int().nonnegative(),
  attempts: z.int().min(1).max(32).default(1),
  /** One of those that the server offers. */
  policy: z.string().min(1),
  seed: z.int().nonnegative().default(1),
});

export interface Failure {
  readonly error: { readonly code: string; readonly message: string; readonly fix?: string | undefined };
}

/** Lines of a verification. Frame -1 is the first screen; `png` is what was seen instead, base64. */
export type VerifyLine =
  | { readonly frame: number; readonly same: boolean; readonly png?: string }
  | { readonly result: ReplayResult }
  | Failure;

/** Lines of a fork: its episodes as they end. */
export type ForkLine = { readonly episode: EpisodeRow } | Failure;
