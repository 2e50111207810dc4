import type { Call } from './link.js';

/** Calls routes about one session. */
export interface SessionLink {
  readonly id: string;
  readonly call: Call;
}
