import { Action } from '@gyre/protocol';
import { z } from 'zod';
import type { Takeover } from '../lease/control.js';
import { endWhenSilent } from './beat.js';
import { answerTo, closeFor } from './failures.js';
import type { Routes } from './routes.js';
import { ControlQuery, SessionParams } from './wire.js';

/** Actions that may wait for those before them. */
const mostWaiting = 32;

/** Who does not answer for so long, in ms, has gone. */
const silenceMs = 10_000;

const Message = z.strictObject({ id: z.int(), action: Action });

/**
 * A connection that has the mouse and the keys of a session for as long as it holds: `{ id, action }` is answered with `{ id }` when it is
 * done, or with `{ id, error }`. The actions of all others are refused with status 409.
 */
export function controlRoutes({ app, may, of }: Routes): void {
  app.get(
    '/v1/sessions/:id/control',
    { websocket: true, onRequest: may('operate'), schema: { params: SessionParams, querystring: ControlQuery } },
    (socket, request) => {
      let takeover: Takeover;
      try {
        takeover = of(request).control.take(request.query.name);
      } catch (error) {
        return closeFor(socket, error);
      }
      endWhenSilent(socket, silenceMs);
      socket.on('close', () => void takeover.end());
      void takeover.ended.then(() => socket.close(1000, 'the session has ended'));

      let waiting = 0;
      let last = Promise.resolve();
      const perform = async (text: string): Promise<void> => {
        let id: number | undefined;
        try {
          const message: unknown = JSON.parse(text);
          id = z.object({ id: z.int() }).safeParse(message).data?.id;
          await takeover.act(Message.parse(message).action);
          socket.send(JSON.stringify({ id }));
        } catch (error) {
          const { error: reason } = answerTo(error).body;
          const known = !(error instanceof z.ZodError) && !(error instanceof SyntaxError);
          socket.send(
            JSON.stringify({ id, error: known ? reason : { code: 'bad_input', message: 'this is no action' } }),
          );
        } finally {
          waiting--;
        }
      };
      socket.on('message', (data: Buffer) => {
        if (++waiting > mostWaiting) return socket.close(1008, 'more than can be done');
        last = last.then(() => perform(data.toString()));
      });
    },
  );
}
