import type { WebSocket } from '@fastify/websocket';
import { Failure, failureBody } from './failure.js';
import type { McpTools } from './mcp.js';
import type { Seat, Seats } from './seats.js';
import { Message, type OpenenvMode, readStep, Reset } from './wire.js';

/** Time for a refused client to send something, and so to read the reason. */
const refusedMs = 5_000;

export interface ConversationTerms {
  readonly seats: Seats;
  readonly tools: McpTools;
  readonly mode: OpenenvMode;
}

export function converse(socket: WebSocket, { seats, tools, mode }: ConversationTerms): void {
  const send = (type: string, data: unknown) => socket.send(JSON.stringify({ type, data }));
  const fail = (error: unknown) => send('error', failureBody(error));
  // The stock client sends before it reads: an immediate close would hide the reason.
  const refuse = (error: unknown) => {
    fail(error);
    const timer = setTimeout(() => socket.close(), refusedMs);
    socket.once('message', () => socket.close());
    socket.once('close', () => clearTimeout(timer));
  };

  let seat: Seat;
  try {
    seat = seats.take(() => refuse(new Failure('SESSION_ERROR', 'idle for too long: connect again')));
  } catch (error) {
    return refuse(error);
  }
  const { environment } = seat;
  const answer = async (text: string): Promise<void> => {
    const { type, data } = read(text);
    const known = mode === 'simulation' || type === 'close' || type === 'mcp';
    if (!known) throw new Failure('UNKNOWN_TYPE', `${type} is not available in production mode`);
    if (type === 'reset') return send('observation', await environment.reset(Reset.parse(data ?? {})));
    if (type === 'step') return send('observation', await environment.step(readStep(data)));
    if (type === 'state') return send('state', environment.state);
    if (type === 'mcp') return send('mcp', await tools.answer(data, seat));
    if (type === 'close') return socket.close();
    throw new Failure('UNKNOWN_TYPE', `unknown message type: ${type}`);
  };
  socket.on('message', (raw: Buffer) => {
    if (!seats.has(seat)) return;
    // Backpressure for fast senders.
    socket.pause();
    void seat
      .use(() => answer(raw.toString()).catch(fail))
      .finally(() => {
        socket.resume();
      });
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => void seat.leave());
}

function read(text: string): { type: string; data?: unknown } {
  const json = ((): unknown => {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Failure('INVALID_JSON', `invalid JSON: ${(error as Error).message}`);
    }
  })();
  return Message.parse(json);
}
