/** Kinds of questions, by the dialogs that ask them. */
export const questionKinds = ['alert', 'confirm', 'prompt', 'beforeunload', 'credentials', 'files'] as const;

/** A question of a page, or of its server, to whoever uses the screen. */
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
      /** The server's name for what it protects. */
      readonly message: string;
    }
  | {
      /** A file input was used. */
      readonly kind: 'files';
      readonly from: string;
      readonly multiple: boolean;
      readonly wanted: Promise<WantedFiles>;
    };

/** Describes what a file input takes. */
export interface WantedFiles {
  /** A folder with all that is in it, in place of files. */
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

/** A question that waits for its answer. */
export interface Asked {
  readonly question: Question;
  /** Gives the answer. Does nothing where the question is no longer there. */
  readonly answer: (answer: Answer) => Promise<void>;
  /** Resolves when it is no longer asked: it was answered, or whoever asked has gone. */
  readonly over: Promise<void>;
}

/** Whether it is a dialog of the page's scripts, during which no other script of it runs. */
export function isDialog({ kind }: Question): boolean {
  return kind !== 'files' && kind !== 'credentials';
}

/** Whether the page, or its load, stands still until there is an answer. */
export function isBlocking({ kind }: Question): boolean {
  return kind !== 'files';
}

/** The answer of somebody who only wants to get away: pages may be left, all else is cancelled. */
export const wayOut = ({ kind }: Question): Answer => ({ accept: kind === 'beforeunload' });
