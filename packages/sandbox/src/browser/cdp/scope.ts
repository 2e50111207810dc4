import type { Browser } from '../browser.js';

/** The part of a browser that CDP clients of a session see: the pages of its context. */
export interface CdpScope {
  readonly browser: Browser;
  /** The session's browser context; to its clients the default one. */
  readonly context: string;
  /** The page that the session shows. */
  readonly target: string;
  /** Leaves the page's dialogs to a client, until what comes back is called; without it the session dismisses them. */
  leaveDialogs(): () => void;
  /** Sets again what the session needs and a client may have overridden. Throws `infra`. */
  restore(): Promise<void>;
}
