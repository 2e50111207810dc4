import type { AnySession } from '../lease/sandbox.js';
import { SessionLogs } from '../events/sessionLog.js';
import { Refusal } from './failures.js';
import type { Routes } from './routes.js';
import { Failure, SessionParams } from './wire.js';

/** Sessions whose logs can be read when they have ended. */
const remembered = 100;

/** Logs of the sessions that were leased here: of those that are, and of the last that have ended. */
export class LogBook {
  readonly #books = new Map<string, { readonly owner: string; readonly session: Pick<AnySession, 'logs'> }>();
  readonly #ended: string[] = [];

  keep(session: AnySession, owner: string): void {
    this.#books.set(session.id, { owner, session });
    void session.ended.then(() => {
      // The machine behind it is not held any longer than it has to be.
      const logs = session.logs();
      this.#books.set(session.id, { owner, session: { logs: () => logs } });
      this.#ended.push(session.id);
      if (this.#ended.length > remembered) this.#books.delete(this.#ended.shift() ?? '');
    });
  }

  /** Undefined where there is none, or it is not for this owner; without an owner all are. */
  read(id: string, owner: string | undefined): SessionLogs | undefined {
    const book = this.#books.get(id);
    return book && (owner === undefined || book.owner === owner) ? book.session.logs() : undefined;
  }
}

/** The log of a session, for its leaser and for those who watch, also when it has ended. */
export function logRoutes({ app, may, bearer }: Routes, logs: LogBook): void {
  app.get(
    '/v1/sessions/:id/logs',
    {
      onRequest: may('watch'),
      schema: { params: SessionParams, response: { 200: SessionLogs, '4xx': Failure, '5xx': Failure } },
    },
    (request) => {
      const who = bearer(request);
      const { id } = request.params;
      const found = logs.read(id, who?.scope === 'operate' ? who.name : undefined);
      if (!found) throw new Refusal(404, `there is no session ${id} for this token`, 'it may be long ended');
      return found;
    },
  );
}
