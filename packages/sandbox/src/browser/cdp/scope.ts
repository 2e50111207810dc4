import type { Browser } from '../browser.js';

/** What a session's CDP clients may access: its context. */
export interface CdpScope {
  readonly browser: Browser;
  /** Clients see it as the default context. */
  readonly context: string;
  readonly target: string;
  /** Lets a client handle dialogs until the returned function is called. */
  leaveDialogs(): () => void;
  /** Restores settings that a client may have changed. Throws `infra`. */
  restore(): Promise<void>;
}
