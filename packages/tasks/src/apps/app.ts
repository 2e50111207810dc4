import type { AppWords } from './data/appWords.js';
import type { Language } from './data/lexicon.js';

export interface AppKind {
  /** The app's data. A task's verdict depends on it alone. */
  readonly store: object;
  /** Transient state: open elements, unsaved input and so on. */
  readonly ui: object;
  /** Keys of the texts on its controls. */
  readonly word: string;
}

/** The drawn looks, which are also classes of the app's root. */
export type AppLayout = Readonly<Record<string, string>>;

/** Lives in the isolated world, where neither the page nor the agent can read it. */
export interface AppArgument<Of extends AppKind> {
  readonly store: Of['store'];
  readonly goal: Of['store'];
  readonly answer?: string;
  /** Paths of lists in the store whose order does not count. */
  readonly anyOrder?: readonly string[];
  /** The template's hint for the oracle: where the answer is, or what to change. */
  readonly look?: unknown;
  readonly words: AppWords<Of['word']>;
  readonly layout: AppLayout;
  readonly language: Language;
}

export interface CommonUi {
  /** The open drop-down list; '' for none. */
  menu: string;
  toast: string;
}

/** A view's input. Its handlers mutate `store` and `ui`; the page is redrawn after each event. */
export interface Scene<Of extends AppKind> {
  readonly store: Of['store'];
  readonly ui: Of['ui'] & CommonUi;
  readonly words: AppWords<Of['word']>;
  readonly layout: AppLayout;
  readonly language: Language;
}
