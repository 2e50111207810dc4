export const maxMessage = 16 * 2 ** 20;

/** Untrusted: descriptions may be wrong or misleading. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Describes an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Describes `structured`. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly bytes: Uint8Array; readonly mimeType: string }
  /** A resource's text or bytes, or only its address. */
  | {
      readonly type: 'resource';
      readonly uri: string;
      readonly mimeType?: string;
      readonly text?: string;
      readonly bytes?: Uint8Array;
    };

export interface ToolResult {
  readonly content: readonly ToolContent[];
  /** Not validated against `outputSchema`. */
  readonly structured?: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  /** Omitted bytes. */
  readonly leftOut: number;
}

export interface ToolCallOptions {
  /** Default: 1 minute. */
  readonly timeoutMs?: number;
  /** Bytes of text (first and last ones are retained), and of JSON. Default: 1 MiB. */
  readonly maxOutput?: number;
}

/** Speaks MCP over stdio. */
export interface ToolServerTerms {
  /** Letters, digits, `.`, `-` and `_`. */
  readonly name: string;
  /** Name or path in the session. */
  readonly command: string;
  readonly args?: readonly string[];
  /** In addition to the session's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Inside the session. Default: the home. */
  readonly cwd?: string;
  /** Default: 30 seconds. */
  readonly timeoutMs?: number;
}

/** A running server. Its faults are `infra` with its name in `server`; the session survives. */
export interface ToolServer {
  readonly name: string;
  list(): Promise<readonly Tool[]>;
  /**
   * Throws `bad_input` for an unknown tool or unfit arguments, and `infra` if the server dies, times out or answers
   * nonsense. A tool's own failure is a result.
   */
  call(tool: string, args?: Readonly<Record<string, unknown>>, options?: ToolCallOptions): Promise<ToolResult>;
  /** Also ends its children. Idempotent. */
  close(): Promise<void>;
}
