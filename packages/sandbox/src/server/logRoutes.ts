import type { AnySession } from '../lease/sandbox.js';
import type { SessionLogs } from '../events/sessionLog.js';
import { events as routes } from '../wire/events.js';
import { HttpRefusal } from './failures.js';
import type { RouteContext } from './routeContext.js';

const remembered = 100;

/** Logs of leased sessions, and of the last to end. */
export class SessionLogStore {
  readonly #books = new Map<string, { readonly owner: string; readonly session: Pick<AnySession, 'logs'> }>();
  readonly #ended: string[] = [];

  keep(session: AnySession, owner: string): void {
    this.#books.set(session.id, { owner, session });
    void session.ended.then(() => {
      // Must not retain the machine.
      const logs = session.logs();
      this.#books.set(session.id, { owner, session: { logs: () => logs } });
      this.#ended.push(session.id);
      if (this.#ended.length > remembered) this.#books.delete(this.#ended.shift() ?? '');
    });
  }

  /** Without `owner`, any session's. */
  read(id: string, owner: string | undefined): SessionLogs | undefined {
    const book = this.#books.get(id);
    return book && (owner === undefined || book.owner === owner) ? book.session.logs() : undefined;
  }
}

export function logRoutes({ serve, bearer }: RouteContext, logs: SessionLogStore): void {
  serve(routes.logs, (request) => {
    const asker = bearer(request);
    const { id } = request.params;
    const log = logs.read(id, asker?.scope === 'operate' ? asker.name : undefined);
    if (!log)
      throw new HttpRefusal(
        404,
        `there is no session ${id} for this token`,
        'check the id; logs of old sessions are removed',
      );
    return log;
  });
}
