import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CallToolResultSchema,
  type ClientRequest,
  ListToolsResultSchema,
  McpError,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { GyreError } from '@gyre/protocol';
import type { z } from 'zod';
import { CappedOutput } from '../shell/cappedOutput.js';
import { Child, type ExitStatus, type Origin } from '../shell/child.js';
import { graceMs } from '../shell/run.js';
import { LineTransport } from './lineTransport.js';
import { checkArguments } from './toolArguments.js';
import { failedResult, resultOf } from './toolResult.js';
import {
  maxMessage,
  type Tool,
  type ToolCallOptions,
  type ToolResult,
  type ToolServer,
  type ToolServerTerms,
} from './tool.js';

const listMs = 30_000;
/** Also bounds the pages of a list. */
const maxTools = 2_000;
const maxPages = 100;
const complaintBytes = 2_000;
/** A signal ends requests instead, to tell our timeout from the server's errors. */
const forever = 2 ** 31 - 1;

export class EnclosedServer implements ToolServer {
  readonly #client: Client;
  readonly #transport: LineTransport;
  readonly #child: Child;
  readonly #stderr: CappedOutput;
  /** Cached until the server announces changes. */
  #known: readonly Tool[] | undefined;
  #ending: ExitStatus | undefined;
  #closed: Promise<void> | undefined;

  private constructor(
    readonly name: string,
    {
      client,
      transport,
      child,
      stderr,
    }: { client: Client; transport: LineTransport; child: Child; stderr: CappedOutput },
  ) {
    this.#client = client;
    this.#transport = transport;
    this.#child = child;
    this.#stderr = stderr;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => (this.#known = undefined));
    transport.onEnd = () => void this.close();
    void child.ended.then((ending) => {
      this.#ending = ending;
      transport.end();
    });
  }

  /** Throws `bad_input`, `missing`, or `infra` on a timeout. */
  static async start(origin: Origin, terms: ToolServerTerms): Promise<EnclosedServer> {
    const { name, command, args = [], env, cwd, timeoutMs = 30_000 } = terms;
    const stderr = new CappedOutput(complaintBytes);
    const transport = new LineTransport(() => child?.stdin);
    let child: Child | undefined = undefined;
    child = await Child.startProgram(origin, [command, ...args], {
      env,
      cwd,
      writable: true,
      stdout: transport,
      stderr,
    });
    const client = new Client({ name: 'gyre', version: '1' });
    const server = new EnclosedServer(name, { client, transport, child, stderr });
    try {
      await server.#within('initialize', timeoutMs, (signal) =>
        client.connect(transport, { signal, timeout: forever }),
      );
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  get ended(): boolean {
    return this.#ending !== undefined || this.#closed !== undefined;
  }

  async list(): Promise<readonly Tool[]> {
    // Servers without the capability are not asked.
    if (this.#client.getServerCapabilities() && !this.#client.getServerCapabilities()?.tools) return [];
    const tools: Tool[] = [];
    let bytes = 0;
    let cursor: string | undefined;
    let pages = 0;
    do {
      const request = { method: 'tools/list', params: { cursor } } as const;
      const page = await this.#ask(request, ListToolsResultSchema, listMs, ({ tools, nextCursor }) => ({
        bytes: Buffer.byteLength(JSON.stringify(tools)),
        tools: tools.map(toolOf),
        next: nextCursor,
      }));
      tools.push(...page.tools);
      bytes += page.bytes;
      cursor = page.next;
      if (tools.length > maxTools || bytes > maxMessage || ++pages > maxPages)
        throw this.#failure(`lists more than ${maxTools} tools, or never stops listing`, 'use another server');
    } while (cursor !== undefined);
    this.#known = tools;
    return tools;
  }

  async call(
    tool: string,
    args: Readonly<Record<string, unknown>> = {},
    { timeoutMs = 60_000, maxOutput = 2 ** 20 }: ToolCallOptions = {},
  ): Promise<ToolResult> {
    checkNumber('timeoutMs', timeoutMs);
    checkNumber('maxOutput', maxOutput);
    checkArguments(await this.#tool(tool), args);
    const request = { method: 'tools/call', params: { name: tool, arguments: args } } as const;
    try {
      return await this.#ask(request, CallToolResultSchema, timeoutMs, (answer) => resultOf(answer, maxOutput));
    } catch (error) {
      const { cause } = error instanceof GyreError ? error.detail : {};
      if (cause instanceof Refused) return failedResult(cause.message, maxOutput);
      throw error;
    }
  }

  close(): Promise<void> {
    return (this.#closed ??= (async () => {
      await this.#transport.close();
      await this.#child.kill(graceMs);
    })());
  }

  async #tool(name: string): Promise<Tool> {
    const find = (tools: readonly Tool[] | undefined) => tools?.find((tool) => tool.name === name);
    const match = find(this.#known) ?? find(await this.list());
    if (match) return match;
    const names = this.#known
      ?.map((tool) => tool.name)
      .join(', ')
      .slice(0, 1_000);
    throw new GyreError('bad_input', `${this.name} has no tool ${JSON.stringify(name)}`, {
      field: 'tool',
      fix: `its tools are ${names || 'none'}`,
    });
  }

  #ask<Answer extends z.ZodType, Result>(
    request: ClientRequest,
    answer: Answer,
    timeoutMs: number,
    read: (answer: z.infer<Answer>) => Result,
  ): Promise<Result> {
    return this.#within(request.method, timeoutMs, async (signal) =>
      read(await this.#client.request(request, answer, { signal, timeout: forever })),
    );
  }

  async #within<Answer>(
    method: string,
    timeoutMs: number,
    work: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    this.#check();
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await work(signal);
    } catch (cause) {
      // The exit reason is known only afterwards.
      if (this.#transport.gone && this.#transport.failure === undefined) await this.close();
      this.#check();
      if (signal.aborted) {
        const { nonsense } = this.#transport;
        const instead = nonsense === undefined ? '' : `; it wrote ${JSON.stringify(nonsense)}`;
        throw this.#failure(`did not answer ${method} within ${timeoutMs} ms${instead}`, 'raise timeoutMs', cause);
      }
      const reason = cause instanceof Error ? cause.message.slice(0, 500) : String(cause);
      if (cause instanceof McpError)
        throw this.#failure(`answered ${method} with an error: ${reason}`, 'check its error', new Refused(reason));
      throw this.#failure(
        `sent an invalid MCP answer to ${method}: ${reason}`,
        'use a server that supports MCP',
        cause,
      );
    }
  }

  #check(): void {
    const { failure } = this.#transport;
    if (failure !== undefined) throw this.#failure(`${failure}, and was stopped`, 'start another server');
    if (this.#ending) throw this.#failure(`has ended (${described(this.#ending)})`, 'start it again');
    if (this.#closed) throw this.#failure('was closed', 'start it again');
  }

  /** Includes recent stderr. */
  #failure(problem: string, fix: string, cause?: unknown): GyreError {
    const complaint = this.#stderr.text().trim();
    const stderrNote = complaint === '' ? '' : `. Its standard error: ${complaint}`;
    return new GyreError('infra', `the tool server ${this.name} ${problem}${stderrNote}`, {
      part: 'tool_server',
      field: 'server',
      fix,
      cause,
    });
  }
}

class Refused extends Error {}

function toolOf({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
}: z.infer<typeof ListToolsResultSchema>['tools'][number]): Tool {
  return {
    name,
    title,
    description,
    inputSchema,
    outputSchema,
  };
}

const described = ({ exitCode, signal }: ExitStatus): string => signal ?? `exit code ${exitCode}`;

function checkNumber(field: string, value: number): void {
  if (Number.isFinite(value) && value > 0 && value <= forever) return;
  throw new GyreError('bad_input', `invalid ${field}: ${value}`, { field, fix: `use a number from 1 to ${forever}` });
}
