/** Bytes of one message to or from a server. */
export const maxMessage = 16 * 2 ** 20;

/** A tool as its server describes it. What a server says is its own word: it may be wrong, or meant to mislead who reads it. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON schema of the arguments, an object's. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** JSON schema of what `structured` holds. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

/** A part of what a tool answers. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly bytes: Uint8Array; readonly mimeType: string }
  /** Something that has an address: with its text or its bytes, or the address alone. */
  | {
      readonly type: 'resource';
      readonly uri: string;
      readonly mimeType?: string;
      readonly text?: string;
      readonly bytes?: Uint8Array;
    };

/** What came of a call. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  /** Where the tool gives a JSON object. It is not held against `outputSchema`. */
  readonly structured?: Readonly<Record<string, unknown>>;
  /** Whether the tool says that it has failed; `content` then says why. */
  readonly failed: boolean;
  /** Bytes of texts and of the JSON object that are left out. */
  readonly leftOut: number;
}

export interface ToolCallOptions {
  /** Default 1 minute. */
  readonly timeoutMs?: number;
  /** Bytes kept of all texts together, of the first and of the last of each that is too long; and of the JSON object. Default 1 MiB. */
  readonly maxOutput?: number;
}

/** A program that speaks MCP over its standard input and output. */
export interface ToolServerTerms {
  /** What it is called here: letters, digits, `.`, `-` and `_`. */
  readonly name: string;
  /** A program of the session, by its name or path. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Beside those that every program of the session has. */
  readonly env?: Readonly<Record<string, string>>;
  /** As the program sees it. Default: the home. */
  readonly cwd?: string;
  /** How long it may take to be ready. Default 30 seconds. */
  readonly timeoutMs?: number;
}

/**
 * A server of tools that runs. Whatever it does wrong is `infra`, and names it in `server`: the session goes on, and so does the
 * server unless it has ended.
 */
export interface ToolServer {
  readonly name: string;
  /** Throws `infra`. */
  list(): Promise<readonly Tool[]>;
  /**
   * Calls a tool. Throws `bad_input` for a tool that it does not have and for arguments that do not fit, and `infra` where the server
   * dies, does not answer in time or answers nonsense. A tool that says that it has failed is a result.
   *
   * @param args as JSON carries them.
   */
  call(tool: string, args?: Readonly<Record<string, unknown>>, options?: ToolCallOptions): Promise<ToolResult>;
  /** Ends the server and all that it has started. Twice is once. */
  close(): Promise<void>;
}
