import type { Split } from '@gyre/protocol';
import type { Relation } from '../world/relation.js';

export interface Question {
  readonly text: string;
  /** The answer, as the pages write it. */
  readonly reference: string;
  readonly difficulty: number;
  readonly names: readonly string[];
  readonly route: readonly Stop[];
}

export interface Stop {
  readonly page: number;
  /** `end` is the last row of a table to read as a whole; if absent, opening the page is enough. */
  readonly look?: Relation | 'end';
  /** Continues "find": "the author of "The Amber Key"". */
  readonly goal: string;
  /** The fact once seen: "its author is Marla Venti". */
  readonly learned: string;
}

export interface SiteArgument {
  readonly split: Split;
  readonly world: number;
  readonly start: number;
  readonly labels: SiteLabels;
  readonly task:
    | {
        readonly kind: 'answer';
        readonly question: string;
        readonly reference: string;
        readonly route: readonly Stop[];
      }
    /** Search, the address field and the start page are disabled. */
    | { readonly kind: 'reach'; readonly page: number };
}

export interface SiteLabels {
  readonly search: string;
  readonly find: string;
  /** `{n}` is the number of results, `{q}` the query. */
  readonly results: string;
  readonly nothing: string;
  readonly missing: string;
  readonly next: string;
  readonly previous: string;
  readonly seeAlso: string;
}
