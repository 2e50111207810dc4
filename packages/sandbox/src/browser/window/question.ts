export const questionKinds = ['alert', 'confirm', 'prompt', 'beforeunload', 'credentials', 'files'] as const;

/** A question of a page or server to the user. */
export type Question =
  | {
      readonly kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
      /** Address of the page. */
      readonly from: string;
      readonly message: string;
      /** A prompt's default text. */
      readonly text: string;
    }
  | {
      /** HTTP authentication. */
      readonly kind: 'credentials';
      readonly from: string;
      /** The realm. */
      readonly message: string;
    }
  | {
      readonly kind: 'files';
      readonly from: string;
      readonly multiple: boolean;
      readonly filter: Promise<FileFilter>;
    };

export interface FileFilter {
  readonly folder: boolean;
  /** The `accept` attribute. */
  readonly accept: string;
}

export interface Answer {
  readonly accept: boolean;
  /** For a prompt. */
  readonly text?: string | undefined;
  /** For credentials. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Paths as the browser sees them. */
  readonly files?: readonly string[] | undefined;
}

export interface PendingQuestion {
  readonly question: Question;
  /** Ignored once the question is over. */
  readonly answer: (answer: Answer) => Promise<void>;
  /** Resolves when answered or withdrawn. */
  readonly over: Promise<void>;
}

/** Returns whether it blocks scripts. */
export function isDialog({ kind }: Question): boolean {
  return kind !== 'files' && kind !== 'credentials';
}

/** Returns whether the page or its load waits. */
export function isBlocking({ kind }: Question): boolean {
  return kind !== 'files';
}

/** Lets the page be left, and cancels all else. */
export const dismissal = ({ kind }: Question): Answer => ({ accept: kind === 'beforeunload' });
