import type { AppWords } from './data/appWords.js';
import type { Language } from './data/lexicon.js';

/** The types that an app is about. */
export interface AppKind {
  /** What it holds, as plain data. This is what a task is judged by. */
  readonly store: object;
  /** What of it is open, what is typed and not saved, and so on, as plain data. */
  readonly ui: object;
  /** Names of the texts on its controls. */
  readonly word: string;
}

/** A choice for each thing that an app may show in one way or another. They are classes of its root, too. */
export type AppLayout = Readonly<Record<string, string>>;

/** What an app's page is given. It is in the isolated world, where neither the page nor the agent can read it. */
export interface AppArgument<Of extends AppKind> {
  readonly store: Of['store'];
  /** The store as it is to be in the end. */
  readonly goal: Of['store'];
  /** For questions: the answer. */
  readonly answer?: string;
  /** Paths of lists in the store whose order does not count. */
  readonly anyOrder?: readonly string[];
  /** Where the oracle looks before it answers a question, or how it finds what to change, as the app understands it. */
  readonly look?: unknown;
  readonly words: AppWords<Of['word']>;
  readonly layout: AppLayout;
  readonly language: Language;
}

/** What is open on the screen beside that which an app has of its own. */
export interface CommonUi {
  /** Name of the list that has dropped down; '' where none has. */
  menu: string;
  /** What the app has said last; '' for nothing. */
  toast: string;
}

/** All that a view is drawn from. Its handlers change `store` and `ui` in place; the page is drawn anew after each event. */
export interface Scene<Of extends AppKind> {
  readonly store: Of['store'];
  readonly ui: Of['ui'] & CommonUi;
  readonly words: AppWords<Of['word']>;
  readonly layout: AppLayout;
  readonly language: Language;
}
