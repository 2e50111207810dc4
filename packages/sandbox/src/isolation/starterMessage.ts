/** What goes to the process that starts programs, and what comes back. Programs are told apart by a number that is never used twice. */

/** A program to be started. */
export interface StartRequest {
  readonly file: string;
  readonly args: readonly string[];
  /** All of it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Whether it gets an input that stays open; else it reads nothing. */
  readonly input: boolean;
  /** Descriptors that it writes text to; what else it writes is lost. */
  readonly outputs: readonly number[];
  /** Whether it gets the handle that comes along, as descriptor 3. */
  readonly handle: boolean;
}

export type ToStarter =
  | ({ readonly do: 'start'; readonly id: number } & StartRequest)
  | { readonly do: 'write'; readonly id: number; readonly text: string }
  | { readonly do: 'closeInput' | 'closeOutputs' | 'kill'; readonly id: number };

export type FromStarter =
  | { readonly is: 'started'; readonly id: number; readonly pid: number }
  | { readonly is: 'failed'; readonly id: number; readonly code: string; readonly message: string }
  | { readonly is: 'said'; readonly id: number; readonly descriptor: number; readonly text: string }
  /** After all that it has said, where its outputs were not closed before. */
  | { readonly is: 'ended'; readonly id: number; readonly code: number | null };
