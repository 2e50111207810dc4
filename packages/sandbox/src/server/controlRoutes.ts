import { z } from 'zod';
import type { Takeover } from '../lease/control.js';
import { ControlMessage, type ControlReply, frames as routes } from '../wire/frames.js';
import { closeWhenUnresponsive } from './closeWhenUnresponsive.js';
import { errorReply, closeWithError } from './failures.js';
import type { RouteContext } from './routeContext.js';

const maxWaiting = 32;

const silenceMs = 10_000;

/**
 * Gives a connection control: `{ id, action }` is answered by `{ id }` or `{ id, error }`. Others' actions are refused
 * with 409.
 */
export function controlRoutes({ serveSocket, session }: RouteContext): void {
  serveSocket(routes.control, (socket, request) => {
    let takeover: Takeover;
    try {
      takeover = session(request).control.take(request.query.name);
    } catch (error) {
      return closeWithError(socket, error);
    }
    closeWhenUnresponsive(socket, silenceMs);
    socket.on('close', () => void takeover.end());
    void takeover.ended.then(() => socket.close(1000, 'the session has ended'));

    let waiting = 0;
    let last = Promise.resolve();
    const send = (reply: ControlReply) => socket.send(JSON.stringify(reply));
    const perform = async (text: string): Promise<void> => {
      let id: number | undefined;
      try {
        const message: unknown = JSON.parse(text);
        id = ControlMessage.pick({ id: true }).loose().safeParse(message).data?.id;
        await takeover.act(ControlMessage.parse(message).action);
        send({ id });
      } catch (error) {
        const isMalformed = error instanceof z.ZodError || error instanceof SyntaxError;
        send({
          id,
          error: isMalformed ? { code: 'bad_input', message: 'the action is invalid' } : errorReply(error).body.error,
        });
      } finally {
        waiting--;
      }
    };
    socket.on('message', (data: Buffer) => {
      if (++waiting > maxWaiting) return socket.close(1008, 'too many actions are waiting');
      last = last.then(() => perform(data.toString()));
    });
  });
}
