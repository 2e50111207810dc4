import type { Browser } from '../browser.js';

/** The part of a browser that a session's CDP clients may access: its context. */
export interface CdpScope {
  readonly browser: Browser;
  /** Appears to clients as the default context. */
  readonly context: string;
  readonly target: string;
  /** Lets a client handle dialogs until the returned function is called. Otherwise the session dismisses them. */
  leaveDialogs(): () => void;
  /** Restores settings that a client may have overridden. Throws `infra`. */
  restore(): Promise<void>;
}
