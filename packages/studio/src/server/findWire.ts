import type { EpisodeRow } from './wire.js';

/** Episodes and families that match a text, in all runs. */
export interface FindAnswer {
  /** The newest ones, by instruction or the beginning of an id. */
  readonly episodes: readonly (Pick<EpisodeRow, 'id' | 'instruction' | 'family' | 'policy' | 'success' | 'state'> & {
    readonly run: string;
  })[];
  /** Families of the catalogue and of the lakes, by name. */
  readonly families: readonly {
    readonly family: string;
    /** Instruction of a task. */
    readonly instruction: string;
    /** Whether a person can play it: it is in the catalogue. */
    readonly task?: string;
    /** Runs that have episodes of it, and how many. */
    readonly runs: readonly { readonly run: string; readonly episodes: number }[];
  }[];
}
