import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { failureBody } from './failure.js';
import type { Seat, Seats } from './seats.js';
import { readStep, type Result, schemas } from './wire.js';

const Request = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).nullish(),
});

const Call = z.object({ name: z.string(), arguments: z.unknown().optional(), session_id: z.string().nullish() });
const Named = z.object({ session_id: z.string() });

const tools = [
  {
    name: 'task',
    description: 'Returns the task and the screen. Starts a task if none has started; takes no step.',
    inputSchema: { type: 'object', properties: {} },
  },
  {
    name: 'act',
    description: 'Carries out one action and returns the resulting screen.',
    inputSchema: { type: 'object', properties: { action: schemas.action }, required: ['action'] },
  },
];

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/**
 * MCP tools for an agent, which cannot reset and sees no reward. Without a WebSocket, `openenv/session/create` opens a
 * session.
 */
export class McpTools {
  readonly #seats: Seats;
  readonly #sessions = new Map<string, Seat>();

  constructor(seats: Seats) {
    this.#seats = seats;
  }

  /** @param socketSeat seat of the WebSocket that sent the request. */
  async answer(payload: unknown, socketSeat?: Seat): Promise<object> {
    const request = Request.safeParse(payload);
    const id = request.data?.id ?? null;
    try {
      if (!request.success) throw new RpcError(-32600, 'not a JSON-RPC 2.0 request');
      const result = await this.#call(request.data.method, request.data.params ?? {}, socketSeat);
      return { jsonrpc: '2.0', id, result };
    } catch (error) {
      if (error instanceof RpcError) {
        const { code, message, data } = error;
        return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
      }
      const { message, ...data } = failureBody(error);
      return { jsonrpc: '2.0', id, error: { code: data.code === 'VALIDATION_ERROR' ? -32602 : -32000, message, data } };
    }
  }

  async #call(method: string, params: Record<string, unknown>, socketSeat: Seat | undefined): Promise<object> {
    if (method === 'tools/list') return { tools };
    if (method === 'tools/call') {
      const { name, arguments: input, session_id } = Call.parse(params);
      const seat = socketSeat ?? this.#session(session_id ?? '');
      // A WebSocket's seat is already in use for this message; queueing would deadlock.
      const work = () => callTool(name, input, seat);
      return socketSeat ? work() : seat.use(work);
    }
    if (method === 'openenv/session/create' && !socketSeat) {
      const session = randomUUID();
      this.#sessions.set(
        session,
        this.#seats.take(() => this.#sessions.delete(session)),
      );
      return { session_id: session };
    }
    if (method === 'openenv/session/close' && !socketSeat) {
      const { session_id } = Named.parse(params);
      const seat = this.#session(session_id);
      this.#sessions.delete(session_id);
      await seat.leave();
      return { session_id, closed: true };
    }
    throw new RpcError(-32601, `unknown method: ${method}`);
  }

  #session(id: string): Seat {
    const seat = this.#sessions.get(id);
    if (seat) return seat;
    throw new RpcError(-32602, 'unknown session: create one with openenv/session/create');
  }
}

async function callTool(name: string, input: unknown, seat: Seat): Promise<object> {
  const { environment } = seat;
  if (name === 'task') return toolResult(environment.last ?? (await environment.reset({})));
  if (name !== 'act') throw new RpcError(-32602, `unknown tool: ${name}`);
  const { action } = z.object({ action: z.unknown() }).parse(input);
  const step = readStep(action);
  if (!environment.last) await environment.reset({});
  return toolResult(await environment.step(step));
}

function toolResult(result: Result): object {
  const { screenshot: data, instruction, size, step, step_budget, last_action_error, metadata } = result.observation;
  const { notices } = metadata;
  const observation = { instruction, size, step, step_budget, last_action_error, notices, done: result.done };
  return {
    content: [
      { type: 'text', text: JSON.stringify(observation) },
      { type: 'image', data, mimeType: 'image/png' },
    ],
    isError: last_action_error !== null,
  };
}
