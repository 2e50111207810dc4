/** IDs are never reused. */

export interface StartRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Whether the input stays open. */
  readonly input: boolean;
  /** Other output is lost. */
  readonly outputs: readonly number[];
  /** Whether a handle comes along for descriptor 3. */
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
  /** Follows all output, unless closed. */
  | { readonly is: 'ended'; readonly id: number; readonly code: number | null };
