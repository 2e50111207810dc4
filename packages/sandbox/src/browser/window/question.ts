export const questionKinds = ['alert', 'confirm', 'prompt', 'beforeunload', 'credentials', 'files'] as const;

/** A question of a page or its server to the user. */
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
      /** A file input. */
      readonly kind: 'files';
      readonly from: string;
      readonly multiple: boolean;
      readonly wanted: Promise<WantedFiles>;
    };

export interface WantedFiles {
  readonly folder: boolean;
  /** The `accept` attribute: extensions and MIME types. */
  readonly accept: string;
}

/** `accept: false` cancels. */
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

export interface Asked {
  readonly question: Question;
  /** Does nothing once the question is over. */
  readonly answer: (answer: Answer) => Promise<void>;
  /** Resolves when the question is answered or withdrawn. */
  readonly over: Promise<void>;
}

/** Whether it is a dialog that blocks scripts. */
export function isDialog({ kind }: Question): boolean {
  return kind !== 'files' && kind !== 'credentials';
}

/** Whether the page or its load waits for the answer. */
export function isBlocking({ kind }: Question): boolean {
  return kind !== 'files';
}

/** Returns the dismissing answer: pages may be left, all else is cancelled. */
export const wayOut = ({ kind }: Question): Answer => ({ accept: kind === 'beforeunload' });
