import type { Browser } from '../browser.js';

/** The part of a browser open to a session's CDP clients: its context. */
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
