import { z } from 'zod';
import { type Listener, maxEventBytes, type Reply } from '../connection.js';
import { parseJson } from '../../isolation/peer/json.js';
import { checkCommand, checkUrl } from './permission.js';
import { Refused } from './refused.js';
import type { CdpScope } from './scope.js';
import { filterOf, type TargetFilter, type TargetInfo, targetInfoIn, wants } from './target.js';

type Params = Readonly<Record<string, unknown>>;

interface Command {
  readonly id: number;
  readonly method: string;
  readonly params: Params;
  readonly sessionId: string | undefined;
}

export type Message = Readonly<Record<string, unknown>>;

export interface CdpPeer {
  readonly send: (message: Message) => void;
  /** Called per command; an exception ends the client. */
  readonly onCommand: () => void;
  readonly leave: () => void;
}

/** Limits per client. */
const maxTargets = 32;
const maxContexts = 8;
const maxFurther = 32;
const maxPending = 1_000;

const Attached = z.object({ sessionId: z.string() });

/** Targets of browser-wide auto-attach; pages attach their own children. */
const autoAttachTypes: ReadonlySet<string> = new Set(['page', 'tab', 'service_worker']);

const permissions = new Set(['Browser.grantPermissions', 'Browser.setPermission', 'Browser.resetPermissions']);
const cookies = new Set(['Storage.getCookies', 'Storage.setCookies', 'Storage.clearCookies']);

/**
 * A CDP client restricted to one session's targets. It has its own browser session (`Target.attachToBrowserTarget`),
 * isolated from other clients. Discovery and auto-attach are emulated: real ones would pause other sessions' new pages.
 */
export class CdpClient {
  readonly #scope: CdpScope;
  readonly #peer: CdpPeer;
  readonly #root: string;
  readonly #sessions = new Map<string, TargetInfo>();
  readonly #targets = new Map<string, TargetInfo>();
  /** Disposed of with the client. */
  readonly #contexts: Set<string>;
  /** Additional browser sessions, which share the contexts. */
  readonly #further = new Map<string, CdpClient>();
  #discovering: TargetFilter | undefined;
  #attachingTo: TargetFilter | undefined;
  /** Auto-attached targets, with the attaching. */
  readonly #attached = new Map<string, Promise<void>>();
  /** Sessions that handle dialogs, with the function that stops this. */
  readonly #dialogHandlers = new Map<string, () => void>();
  #pending = 0;
  #closed = false;

  private constructor(scope: CdpScope, root: string, peer: CdpPeer, contexts: Set<string>) {
    this.#scope = scope;
    this.#root = root;
    this.#peer = peer;
    this.#contexts = contexts;
  }

  /** Throws `infra` if the browser is gone. */
  static async connect(scope: CdpScope, peer: CdpPeer, contexts = new Set<string>()): Promise<CdpClient> {
    const { connection } = scope.browser;
    const { sessionId } = await connection.send('Target.attachToBrowserTarget', {}, undefined, Attached);
    const client = new CdpClient(scope, sessionId, peer, contexts);
    connection.listen(
      sessionId,
      client.#listener((method, params) => client.#hearBrowser(method, params)),
    );
    await client.#ask('Target.setDiscoverTargets', { discover: true, filter: [{}] });
    return client;
  }

  receive(text: string): void {
    if (this.#closed) return;
    this.#peer.onCommand();
    let command: Command;
    try {
      command = parsed(text);
    } catch (error) {
      return this.#say({ id: idIn(text), error: errorOf(error) });
    }
    this.#handle(command);
  }

  #handle(command: Command): void {
    const { id, sessionId } = command;
    for (const [root, further] of this.#further) {
      if (root === sessionId) return further.#handle({ ...command, sessionId: undefined });
      if (further.#sessions.has(sessionId ?? '')) return further.#handle(command);
    }
    const answer = (reply: Reply): void => {
      this.#pending--;
      const { result, error } = reply;
      this.#say({ id, ...(error ? { error } : { result: result ?? {} }), sessionId });
    };
    this.#pending++;
    try {
      if (this.#pending > maxPending) throw new Refused(`more than ${maxPending} commands are pending`);
      const localAnswer = this.#take(command);
      if (localAnswer)
        localAnswer.then(
          (result) => answer({ result }),
          (error: unknown) => answer({ error: errorOf(error) }),
        );
      // Synchronous, to keep answers in order with events.
      else this.#pass(command, answer);
    } catch (error) {
      answer({ error: errorOf(error) });
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    try {
      await this.#detach();
      await this.#scope.restore();
    } catch {
      // The lease reports what is gone.
    }
  }

  async #detach(): Promise<void> {
    this.#closed = true;
    const { connection } = this.#scope.browser;
    const gone = new Error('the client disconnected');
    for (const session of [this.#root, ...this.#sessions.keys()]) connection.drop(session, gone);
    for (const takeBack of this.#dialogHandlers.values()) takeBack();
    for (const further of this.#further.values()) await further.#detach();
    await connection.send('Target.detachFromTarget', { sessionId: this.#root });
  }

  /** Answers commands that are not forwarded. Throws `Refused`. */
  #take({ method, params, sessionId }: Command): Promise<unknown> | undefined {
    const session = sessionId === undefined ? undefined : this.#sessions.get(sessionId);
    if (sessionId !== undefined && !session) throw new Refused('Session with given id not found.', -32001);
    this.#checkNamed(params);
    if (method.startsWith('Browser.') || method === 'Page.setDownloadBehavior') return this.#browser(method, params);
    if (!session) {
      if (method.startsWith('Target.')) return this.#target(method, params);
      if (cookies.has(method)) return this.#ask(method, { browserContextId: this.#scope.context, ...params });
      throw new Refused(`${method} is not available to clients of a session`);
    }
    if (method.startsWith('Target.')) {
      if (method === 'Target.setAutoAttach' || method === 'Target.detachFromTarget') {
        this.#checkFlat(method, params);
        return undefined;
      }
      if (method === 'Target.getTargetInfo') return this.#info(params.targetId ?? session.targetId);
      throw new Refused(`${method}: send this command to the browser, without a sessionId`);
    }
    if (method === 'Page.close') this.#checkClosing(session.targetId);
    checkCommand(method, params, this.#scope.browser.isolated);
    if (method === 'Page.enable' && sessionId !== undefined && session.targetId === this.#scope.target)
      if (!this.#dialogHandlers.has(sessionId)) this.#dialogHandlers.set(sessionId, this.#scope.leaveDialogs());
    return undefined;
  }

  #pass({ method, params, sessionId }: Command, answer: (reply: Reply) => void): void {
    this.#scope.browser.connection.ask(method, params, sessionId, {
      answered: answer,
      failed: ({ message }) => answer({ error: { code: -32000, message } }),
    });
  }

  async #browser(method: string, params: Params): Promise<unknown> {
    const { browser, context } = this.#scope;
    const inContext = { browserContextId: context, ...params };
    if (method === 'Browser.getVersion') return this.#ask(method);
    if (method === 'Browser.close') {
      // The browser is shared: only disconnects, after the answer.
      setImmediate(this.#peer.leave);
      return {};
    }
    if (method === 'Browser.cancelDownload') return this.#ask(method, inContext);
    if (method === 'Browser.setDownloadBehavior' || method === 'Page.setDownloadBehavior') {
      // The session decides where downloads go.
      const { browserContextId } = inContext;
      const { eventsEnabled = false } = params;
      return this.#ask('Browser.setDownloadBehavior', { ...browser.downloading(browserContextId), eventsEnabled });
    }
    if (permissions.has(method)) {
      // All contexts of a browser share one clipboard.
      if (!browser.isolated && /clipboard/i.test(JSON.stringify(params)))
        throw new Refused(`${method}: pages cannot use the clipboard without isolation`);
      return this.#ask(method, inContext);
    }
    throw new Refused(`${method} is not available to clients of a session`);
  }

  async #target(method: string, params: Params): Promise<unknown> {
    const { targetId } = params;
    switch (method) {
      case 'Target.setDiscoverTargets':
        this.#discovering = params.discover === true ? filterOf(params) : undefined;
        for (const info of this.#targets.values()) this.#tell('Target.targetCreated', info);
        return {};
      case 'Target.setAutoAttach':
        this.#checkFlat(method, params);
        return this.#autoAttach(params.autoAttach === true ? filterOf(params) : undefined);
      case 'Target.getTargets':
        return { targetInfos: [...this.#targets.values()].filter(({ type }) => wants(filterOf(params), type)) };
      case 'Target.getTargetInfo':
        return this.#info(targetId);
      case 'Target.attachToTarget':
        this.#checkFlat(method, params);
        return this.#ask(method, { targetId: this.#ownTarget(targetId).targetId, flatten: true });
      case 'Target.attachToBrowserTarget':
        return this.#openFurther();
      case 'Target.detachFromTarget': {
        const further = this.#further.get(String(params.sessionId));
        this.#further.delete(String(params.sessionId));
        if (further) return further.#detach().then(() => ({}));
        if (!this.#sessions.has(String(params.sessionId))) throw new Refused('No session with given id', -32602);
        return this.#ask(method, { sessionId: params.sessionId });
      }
      case 'Target.activateTarget':
        return this.#ask(method, { targetId: this.#ownTarget(targetId).targetId });
      case 'Target.closeTarget':
        this.#checkClosing(this.#ownTarget(targetId).targetId);
        return this.#ask(method, { targetId });
      case 'Target.createTarget':
        return this.#createTarget(params);
      case 'Target.getBrowserContexts':
        return { browserContextIds: [...this.#contexts], defaultBrowserContextId: this.#scope.context };
      case 'Target.createBrowserContext':
        return this.#createContext(params);
      case 'Target.disposeBrowserContext': {
        const { browserContextId } = params;
        if (!this.#contexts.delete(String(browserContextId)))
          throw new Refused('the context of a session cannot be disposed: release the session', -32602);
        return this.#ask(method, { browserContextId });
      }
      default:
        throw new Refused(`${method} is not available to clients of a session`);
    }
  }

  /** Opens another browser session; its messages carry its id. */
  async #openFurther(): Promise<unknown> {
    if (this.#further.size >= maxFurther) throw new Refused(`a client may have at most ${maxFurther} browser sessions`);
    const send = (message: Message): void => this.#say({ ...message, sessionId: message.sessionId ?? sessionId });
    const further = await CdpClient.connect(this.#scope, { ...this.#peer, send }, this.#contexts);
    const sessionId = further.#root;
    this.#further.set(sessionId, further);
    if (this.#closed) await further.#detach();
    return { sessionId };
  }

  async #autoAttach(filter: TargetFilter | undefined): Promise<unknown> {
    this.#attachingTo = filter;
    if (filter === undefined) {
      const attached = [...this.#attached.keys()];
      this.#attached.clear();
      for (const [sessionId, { targetId }] of this.#sessions) {
        if (attached.includes(targetId)) await this.#ask('Target.detachFromTarget', { sessionId });
      }
    }
    for (const info of this.#targets.values()) this.#attach(info);
    await Promise.all(this.#attached.values());
    return {};
  }

  #attach({ targetId, type }: TargetInfo): void {
    if (
      !this.#attachingTo ||
      !autoAttachTypes.has(type) ||
      !wants(this.#attachingTo, type) ||
      this.#attached.has(targetId)
    )
      return;
    const attaching = this.#ask('Target.attachToTarget', { targetId, flatten: true });
    this.#attached.set(
      targetId,
      attaching.then(() => undefined).catch(() => undefined),
    );
  }

  async #createTarget(params: Params): Promise<unknown> {
    if (this.#pages >= maxTargets) throw new Refused(`a client may have at most ${maxTargets} targets`);
    const { url = 'about:blank', width, height, background, newWindow, browserContextId } = params;
    if (url !== '') checkUrl(url);
    const context = typeof browserContextId === 'string' ? browserContextId : this.#scope.context;
    const { pages } = this.#scope.browser;
    const ids = await pages.open(context, () =>
      this.#ask('Target.createTarget', {
        ...{ url, width, height, background, newWindow },
        browserContextId: context,
      }),
    );
    await pages.leave(ids);
    // Clients expect the creation and attachment events first.
    await Promise.all(this.#attached.values());
    return { targetId: ids.target };
  }

  async #createContext(params: Params): Promise<unknown> {
    const odd = Object.keys(params).find((name) => name !== 'disposeOnDetach');
    if (odd !== undefined)
      throw new Refused(`${odd} is not supported: the lease sets the network of all contexts`, -32602);
    if (this.#contexts.size >= maxContexts) throw new Refused(`a client may have at most ${maxContexts} contexts`);
    const { browserContextId } = (await this.#ask('Target.createBrowserContext', { disposeOnDetach: true })) as {
      browserContextId: string;
    };
    this.#contexts.add(browserContextId);
    await this.#ask('Browser.setDownloadBehavior', this.#scope.browser.downloading(browserContextId));
    return { browserContextId };
  }

  async #info(targetId: unknown): Promise<unknown> {
    // Without an id: the browser's target.
    return targetId === undefined ? this.#ask('Target.getTargetInfo') : { targetInfo: this.#ownTarget(targetId) };
  }

  /** A violation ends only the client. */
  #listener(hear: Listener['hear']): Listener {
    return { hear, fail: () => this.#peer.leave(), maxEventBytes };
  }

  #hearBrowser(method: string, params: Params): void {
    // Events of the client's contexts.
    if (method.startsWith('Browser.')) return this.#say({ method, params });
    switch (method) {
      case 'Target.targetCreated':
      case 'Target.targetInfoChanged': {
        const targetInfo = targetInfoIn(params);
        if (!this.#sees(targetInfo)) return;
        const known = this.#targets.has(targetInfo.targetId);
        this.#targets.set(targetInfo.targetId, targetInfo);
        this.#tell(known ? 'Target.targetInfoChanged' : 'Target.targetCreated', targetInfo);
        return this.#attach(targetInfo);
      }
      case 'Target.targetDestroyed':
      case 'Target.targetCrashed': {
        const known = this.#targets.get(String(params.targetId));
        if (!known) return;
        if (method === 'Target.targetDestroyed') {
          this.#targets.delete(known.targetId);
          this.#attached.delete(known.targetId);
        }
        if (this.#discovering && wants(this.#discovering, known.type)) this.#say({ method, params });
        return;
      }
      case 'Target.attachedToTarget':
      case 'Target.detachedFromTarget':
        return this.#hear(undefined, method, params);
    }
  }

  #hear(sessionId: string | undefined, method: string, params: Params): void {
    if (method === 'Target.attachedToTarget') {
      const targetInfo = targetInfoIn(params);
      if (!this.#sees(targetInfo)) return;
      const session = String(params.sessionId);
      this.#sessions.set(session, targetInfo);
      const listener = this.#listener((method, params) => this.#hear(session, method, params));
      this.#scope.browser.connection.listen(session, listener);
    } else if (method === 'Target.detachedFromTarget') {
      const session = String(params.sessionId);
      if (!this.#sessions.delete(session)) return;
      this.#scope.browser.connection.drop(session, new Error('the client detached from the target'));
      this.#dialogHandlers.get(session)?.();
      this.#dialogHandlers.delete(session);
    } else if (method.startsWith('Target.')) {
      return;
    }
    this.#say({ method, params, sessionId });
  }

  #tell(method: string, targetInfo: TargetInfo): void {
    if (this.#discovering && wants(this.#discovering, targetInfo.type)) this.#say({ method, params: { targetInfo } });
  }

  #sees({ browserContextId }: TargetInfo): boolean {
    return browserContextId === this.#scope.context || this.#contexts.has(browserContextId ?? '');
  }

  get #pages(): number {
    return [...this.#targets.values()].filter(({ type }) => type === 'page').length;
  }

  #ownTarget(targetId: unknown): TargetInfo {
    const target = this.#targets.get(String(targetId));
    // Must not reveal whether another session has the target.
    if (!target) throw new Refused('No target with given id found', -32602);
    return target;
  }

  /** Requires contexts and targets to be the client's. */
  #checkNamed({ browserContextId, targetId }: Params): void {
    if (targetId !== undefined) this.#ownTarget(targetId);
    if (browserContextId === undefined || browserContextId === this.#scope.context) return;
    if (typeof browserContextId !== 'string' || !this.#contexts.has(browserContextId))
      throw new Refused('Failed to find browser context with given id', -32602);
  }

  #checkFlat(method: string, { flatten, autoAttach }: Params): void {
    if (flatten === true || autoAttach === false || method === 'Target.detachFromTarget') return;
    throw new Refused(`${method}: only flat sessions are supported; set flatten: true`, -32602);
  }

  #checkClosing(targetId: string): void {
    const { type } = this.#ownTarget(targetId);
    if (targetId === this.#scope.target || type === 'tab')
      throw new Refused('the page of a session cannot be closed: release the session');
  }

  #ask(method: string, params: Params = {}): Promise<unknown> {
    const { connection } = this.#scope.browser;
    return new Promise((resolve, reject) => {
      connection.ask(method, params, this.#root, {
        answered: ({ result, error }) => (error ? reject(new Refused(error.message)) : resolve(result)),
        failed: reject,
      });
    });
  }

  #say(message: Message): void {
    if (!this.#closed) this.#peer.send(message);
  }
}

function parsed(text: string): Command {
  let message: unknown;
  try {
    message = parseJson(text);
  } catch {
    throw new Refused('the message is not JSON or is nested too deeply', -32600);
  }
  const { id, method, params = {}, sessionId } = (message ?? {}) as Record<string, unknown>;
  const fits =
    Number.isSafeInteger(id) &&
    typeof method === 'string' &&
    typeof params === 'object' &&
    params !== null &&
    !Array.isArray(params) &&
    (sessionId === undefined || typeof sessionId === 'string');
  if (!fits) throw new Refused('a command needs an id and a method, and may have params and a sessionId', -32600);
  return { id: id as number, method, params: params as Params, sessionId };
}

function idIn(text: string): number | undefined {
  try {
    const { id } = parseJson(text) as { id?: unknown };
    return Number.isSafeInteger(id) ? (id as number) : undefined;
  } catch {
    return undefined;
  }
}

function errorOf(error: unknown): NonNullable<Reply['error']> {
  return error instanceof Refused
    ? { code: error.code, message: error.message }
    : { code: -32000, message: (error as Error).message };
}
