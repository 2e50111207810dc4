import type { Split } from '@gyre/protocol';
import type { Relation } from '../world/relation.js';

/** A question about a world whose answer is on its pages. */
export interface Question {
  readonly text: string;
  /** The answer, as the pages write it. */
  readonly reference: string;
  /** 1..5. */
  readonly difficulty: number;
  /** What the question calls by name. */
  readonly names: readonly string[];
  /** Where a reader finds the answer: the pages to open, in order, and what to read on them. */
  readonly route: readonly Stop[];
}

export interface Stop {
  readonly page: number;
  /** The fact to read; `end` is the last row of a table that has to be read as a whole; absent: opening the page is enough. */
  readonly look?: Relation | 'end';
  /** What is to be found out here, after "find": "the author of "The Amber Key"". */
  readonly goal: string;
  /** What has been found out, once it was seen: "its author is Marla Venti". */
  readonly learned: string;
}

/** What the page of a browsing task is given. */
export interface SiteArgument {
  readonly split: Split;
  readonly world: number;
  /** Number of the page that is open at first. */
  readonly start: number;
  readonly labels: SiteLabels;
  readonly task:
    | {
        readonly kind: 'answer';
        readonly question: string;
        readonly reference: string;
        readonly route: readonly Stop[];
      }
    /** Search, the address field and the way to the start page are closed. */
    | { readonly kind: 'reach'; readonly page: number };
}

/** What the site and the browser write themselves. */
export interface SiteLabels {
  readonly search: string;
  /** In the empty field. */
  readonly find: string;
  /** `{n}` is how many, `{q}` what was searched for. */
  readonly results: string;
  readonly nothing: string;
  readonly missing: string;
  readonly next: string;
  readonly previous: string;
  readonly seeAlso: string;
}
