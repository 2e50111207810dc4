/** Kinds of questions, by the dialogs that ask them. */
export const questionKinds = ['alert', 'confirm', 'prompt', 'beforeunload', 'credentials', 'files'] as const;

/** A question of a page or its server to the user. */
export type Question =
  | {
      readonly kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
      /** Address of the page that asks. */
      readonly from: string;
      readonly message: string;
      /** Text that a prompt begins with. */
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
      /** A used file input. */
      readonly kind: 'files';
      readonly from: string;
      readonly multiple: boolean;
      readonly wanted: Promise<WantedFiles>;
    };

/** Describes what a file input takes. */
export interface WantedFiles {
  /** Whether a folder is chosen with its contents. */
  readonly folder: boolean;
  /** Its attribute `accept`: endings and MIME types, or nothing. */
  readonly accept: string;
}

/** Answer to a question: `accept: false` cancels. */
export interface Answer {
  readonly accept: boolean;
  /** To a prompt. */
  readonly text?: string | undefined;
  /** To a server that asks for credentials. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Paths of the files that were chosen, as the browser sees them. */
  readonly files?: readonly string[] | undefined;
}

/** A pending question. */
export interface Asked {
  readonly question: Question;
  /** Gives the answer. Does nothing where the question is no longer there. */
  readonly answer: (answer: Answer) => Promise<void>;
  /** Resolves when it is no longer asked: it was answered, or whoever asked has gone. */
  readonly over: Promise<void>;
}

/** Tells whether it is a dialog of scripts, which block meanwhile. */
export function isDialog({ kind }: Question): boolean {
  return kind !== 'files' && kind !== 'credentials';
}

/** Tells whether the page or its load waits for the answer. */
export function isBlocking({ kind }: Question): boolean {
  return kind !== 'files';
}

/** Returns the answer that leads away: pages may be left, all else is cancelled. */
export const wayOut = ({ kind }: Question): Answer => ({ accept: kind === 'beforeunload' });
