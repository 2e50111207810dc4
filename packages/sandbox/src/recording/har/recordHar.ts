import { GyreError } from '@gyre/protocol';
import { type RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { BrowserSurface } from '../../lease/session.js';
import { type Har, HarLog } from './harLog.js';

export interface HarRecording {
  /** Returns the requests so far, of all tabs. Throws `infra` if the browser is gone. */
  read(): Promise<Har>;
  /** Stops recording. Idempotent. */
  close(): Promise<void>;
}

const Message = z.object({
  id: z.number().optional(),
  sessionId: z.string().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

const Attached = z.object({ sessionId: z.string() });
const Sent = z.object({
  requestId: z.string(),
  request: z.object({ hasPostData: z.boolean().optional(), postData: z.string().optional() }),
});
const Finished = z.object({ requestId: z.string() });
const Body = z.object({ body: z.string(), base64Encoded: z.boolean() });
const PostData = z.object({ postData: z.string() });

const answerMs = 30_000;

/**
 * Records the network of a browser session with a free clock, as a client of its CDP endpoint. Tabs that a page opens are
 * recorded from shortly after their beginning. Workers, WebSockets and bodies of
 * responses that are no JSON are not recorded.
 *
 * @throws GyreError 'bad_input' on a stepped clock, 'infra' if the browser is gone
 */
export async function recordHar(browser: BrowserSurface): Promise<HarRecording> {
  const endpoint = await browser.cdp();
  const recorder = new Recorder(new WebSocket(endpoint.url, { headers: endpoint.headers, maxPayload: 2 ** 28 }));
  const close = async () => {
    recorder.end();
    await endpoint.close();
  };
  try {
    await recorder.start();
  } catch (error) {
    await close();
    throw error;
  }
  return { read: () => recorder.read(), close };
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

class Recorder {
  readonly #socket: WebSocket;
  readonly #log = new HarLog();
  readonly #pending = new Map<number, Pending>();
  /** Set-up of tabs, and bodies that were asked for. */
  readonly #working = new Set<Promise<void>>();
  #calls = 0;
  #gone = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: RawData) => this.#receive((data as Buffer).toString()));
    socket.on('error', () => this.#end());
    socket.on('close', () => this.#end());
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#socket.once('open', () => resolve());
      this.#socket.once('close', () => reject(gone()));
    });
    await this.#call('Target.setAutoAttach', { autoAttach: true, flatten: true, waitForDebuggerOnStart: false });
    await Promise.all(this.#working);
  }

  async read(): Promise<Har> {
    if (this.#gone) throw gone();
    // Events that were before this are read before its answer.
    await this.#call('Browser.getVersion', {});
    await Promise.all(this.#working);
    return this.#log.har();
  }

  end(): void {
    this.#socket.terminate();
    this.#end();
  }

  #receive(text: string): void {
    const { data } = Message.safeParse(parsed(text));
    if (!data) return;
    const { id, method, sessionId, params, result, error } = data;
    if (id !== undefined) {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (error) pending?.reject(new Error(error.message));
      else pending?.resolve(result);
    } else if (method === 'Target.attachedToTarget') {
      const attached = Attached.safeParse(params);
      if (attached.success) this.#work(this.#watch(attached.data.sessionId));
    } else if (method !== undefined && sessionId !== undefined) {
      this.#log.hear(sessionId, method, params);
      if (method === 'Network.requestWillBeSent') this.#work(this.#readPosted(sessionId, params));
      if (method === 'Network.loadingFinished') this.#work(this.#readAnswer(sessionId, params));
    }
  }

  async #watch(session: string): Promise<void> {
    const nested = { autoAttach: true, flatten: true, waitForDebuggerOnStart: false };
    await Promise.all([
      this.#call('Network.enable', { maxPostDataSize: 2 ** 20 }, session),
      this.#call('Target.setAutoAttach', nested, session),
    ]);
  }

  async #readPosted(session: string, params: unknown): Promise<void> {
    const { data } = Sent.safeParse(params);
    if (data?.request.hasPostData !== true || data.request.postData !== undefined) return;
    const { requestId } = data;
    const answer = PostData.safeParse(await this.#call('Network.getRequestPostData', { requestId }, session));
    if (answer.success) this.#log.setPosted(session, requestId, answer.data.postData);
  }

  async #readAnswer(session: string, params: unknown): Promise<void> {
    const { data } = Finished.safeParse(params);
    if (!data || !this.#log.isJson(session, data.requestId)) return;
    const { requestId } = data;
    const answer = Body.safeParse(await this.#call('Network.getResponseBody', { requestId }, session));
    if (answer.success && !answer.data.base64Encoded) this.#log.setAnswer(session, requestId, answer.data.body);
  }

  /** A tab may close meanwhile. */
  #work(work: Promise<void>): void {
    const settled = work.catch(() => undefined).finally(() => this.#working.delete(settled));
    this.#working.add(settled);
  }

  #call(method: string, params: object, sessionId?: string): Promise<unknown> {
    if (this.#gone) return Promise.reject(gone());
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(gone()), answerMs);
      const settle = () => clearTimeout(timer);
      this.#pending.set(id, {
        resolve: (result) => (settle(), resolve(result)),
        reject: (error) => (settle(), reject(error)),
      });
      this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
    });
  }

  #end(): void {
    this.#gone = true;
    for (const { reject } of this.#pending.values()) reject(gone());
    this.#pending.clear();
  }
}

const gone = () =>
  new GyreError('infra', 'the network recording has ended: the browser is gone', {
    part: 'browser',
    fix: 'lease another session',
  });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
