import { z } from 'zod';
import type { Connection } from './connection.js';
import { Violation } from '../isolation/peer/violation.js';

export interface TabIds {
  readonly target: string;
  readonly context: string;
  readonly session: string;
}

const Attached = z.object({
  sessionId: z.string(),
  targetInfo: z.object({ targetId: z.string(), type: z.string(), browserContextId: z.string().optional() }),
});
const Detached = z.object({ sessionId: z.string() });

export interface PageListener {
  readonly opened: (ids: TabIds) => void;
}

/** Tracks a browser's pages. Each starts paused, so that no event is missed. */
export class Pages {
  readonly #connection: Connection;
  readonly #listeners = new Map<string, PageListener>();
  readonly #waiting = new Map<string, ((ids: TabIds) => void)[]>();
  readonly #closed = new Map<string, () => void>();

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.listenToBrowser((method, params) => this.#hear(method, params));
  }

  /** Throws `infra` if the browser is gone. */
  async start(): Promise<void> {
    const filter = [{ type: 'page', exclude: false }];
    const options = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter };
    await this.#connection.send('Target.setAutoAttach', options);
  }

  /** Resolves with the paused page that `command` opens in a context. */
  async open(context: string, command: () => Promise<unknown>): Promise<TabIds> {
    const waiting = this.#waiting.get(context) ?? [];
    this.#waiting.set(context, waiting);
    let came: (ids: TabIds) => void = () => undefined;
    const page = new Promise<TabIds>((resolve) => (came = resolve));
    waiting.push(came);
    try {
      await command();
      return await page;
    } finally {
      const index = waiting.indexOf(came);
      if (index >= 0) waiting.splice(index, 1);
      if (waiting.length === 0) this.#waiting.delete(context);
    }
  }

  /** Without a listener, pages opened within a context belong to its CDP client. */
  listen(context: string, listener: PageListener | undefined): void {
    if (listener) this.#listeners.set(context, listener);
    else this.#listeners.delete(context);
  }

  onClosed({ session }: TabIds, closed: () => void): void {
    this.#closed.set(session, closed);
  }

  /** Lets a paused page run. */
  resume({ session }: TabIds): void {
    void this.#connection.send('Runtime.runIfWaitingForDebugger', {}, session).catch(() => undefined);
  }

  /** Detaches from a page. */
  async leave(ids: TabIds): Promise<void> {
    this.resume(ids);
    await this.#connection.send('Target.detachFromTarget', { sessionId: ids.session }).catch(() => undefined);
  }

  async close({ target }: TabIds): Promise<void> {
    await this.#connection.send('Target.closeTarget', { targetId: target }).catch(() => undefined);
  }

  #hear(method: string, params: unknown): void {
    if (method === 'Target.attachedToTarget') {
      const { sessionId, targetInfo } = read(Attached, params, method);
      const { targetId, type, browserContextId = '' } = targetInfo;
      const ids = { target: targetId, context: browserContextId, session: sessionId };
      if (type !== 'page') return;
      const resolve = this.#waiting.get(browserContextId)?.shift();
      if (resolve) return resolve(ids);
      const listener = this.#listeners.get(browserContextId);
      if (listener) listener.opened(ids);
      else void this.leave(ids);
    }
    if (method === 'Target.detachedFromTarget') {
      const { sessionId } = read(Detached, params, method);
      this.#closed.get(sessionId)?.();
      this.#closed.delete(sessionId);
    }
  }
}

function read<Shape>(shape: z.ZodType<Shape>, params: unknown, method: string): Shape {
  const parsed = shape.safeParse(params);
  if (!parsed.success) throw new Violation(`sent an event ${method} that does not match the protocol`);
  return parsed.data;
}
