import type { Call } from './link.js';

export interface SessionLink {
  readonly id: string;
  readonly call: Call;
}
