import { randomUUID } from 'node:crypto';
import { GyreError, traced, traceHeaders } from '@gyre/protocol';
import { type Failure, type LeaseRequest, QuotaReached, type SessionInfo, WaitingLine } from '@gyre/sandbox';
import { errors, headers, type NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { defaultTimes, type Times } from '../times.js';
import {
  Done,
  type DrainCommand,
  type HoldCommand,
  type LeaseCommand,
  LeaseReply,
  ListReply,
  type Verb,
} from '../wire/command.js';
import { namesOf, type Names } from '../wire/names.js';
import { read } from '../wire/read.js';
import { type Claim, Claims } from './claims.js';
import { type KnownNode, Members } from './members.js';
import { choose, freePlaces, type Need, offers, type Strategy } from './placement.js';

export interface FrontOptions {
  readonly nc: NatsConnection;
  readonly fleet: string;
  /** Default: spread. */
  readonly strategy?: Strategy | undefined;
  /** Each owner's maximum over the whole fleet. Default: unlimited. */
  readonly perOwner?: number | undefined;
  readonly times?: Partial<Times>;
}

export interface Placed {
  readonly session: SessionInfo;
  /** Makes the session the client's. Without it, the node takes it back. */
  keep(): void;
  cancel(): void;
}

/** Starts sessions on nodes, and ends those whose claim or client was lost meanwhile. */
export interface Starter {
  readonly start: (node: KnownNode) => Promise<SessionInfo>;
  readonly end: (node: KnownNode, session: string) => Promise<void>;
}

/** Nodes that may fail to start a machine before the lease fails. */
const maxFailures = 3;

const shortMs = 5_000;

/** Until a node that had no place is asked again for the same lease. */
const againMs = 1_000;

/** Places leases on nodes. Any number of fronts work side by side: what they know is a guess, and nodes decide. */
export class Front {
  readonly id = randomUUID().slice(0, 8);
  readonly #options: FrontOptions;
  readonly #times: Times;
  readonly #names: Names;
  readonly #line = new WaitingLine<Need & { node?: KnownNode }>();
  #members!: Members;
  #claims: Claims | undefined;

  private constructor(options: FrontOptions) {
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
    this.#names = namesOf(options.fleet);
  }

  /** Throws `infra` if NATS does not store the fleet. */
  static async join(options: FrontOptions): Promise<Front> {
    const front = new Front(options);
    const { nc, perOwner } = options;
    const { id } = front;
    front.#members = await Members.join(nc, front.#names, id, front.#times);
    front.#members.onChange(() => front.#serveWaiting());
    if (perOwner !== undefined) {
      const quota = { names: front.#names, perOwner, front: id, members: front.#members };
      front.#claims = await Claims.open(nc, quota);
    }
    return front;
  }

  get members(): Members {
    return this.#members;
  }

  get waiting(): number {
    return this.#line.length + (this.#claims?.waiting ?? 0);
  }

  /** Leases whose owner has all of its sessions: more nodes would not help them. */
  get waitingForQuota(): number {
    return this.#claims?.waiting ?? 0;
  }

  /** Returns the number of leases that wait, by owner. */
  get waitingOwners(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const [owner = '', count] of [...this.#line.owners, ...(this.#claims?.owners ?? [])]) {
      counts.set(owner, (counts.get(owner) ?? 0) + count);
    }
    return counts;
  }

  /** Places of quotas that this front has freed, since their holders are dead. */
  get reclaimed(): number {
    return this.#claims?.reclaimed ?? 0;
  }

  /**
   * Leases a session on a node. Throws `QuotaReached` if no place is free in time, `infra` if no node offers the terms
   * or none starts the machine, and the node's `bad_input`.
   */
  async lease(request: LeaseRequest, { owner, signal }: { owner: string; signal: AbortSignal }): Promise<Placed> {
    const deadline = performance.now() + (request.waitMs ?? 0);
    const remainingMs = () => Math.max(0, deadline - performance.now());
    const refused = new Set<string>();
    const need: Need = { kind: request.kind, labels: request.labels, owner, request, refused };
    let claim = await this.#claims?.take(owner, remainingMs(), signal);
    let failures = 0;
    try {
      for (;;) {
        const node = await traced('wait for a place', { joins: true }, () =>
          this.#reserve(need, remainingMs(), signal),
        );
        const { instance } = node.record;
        const attributes = { 'messaging.system': 'nats', 'gyre.node': instance };
        const reply = await traced('ask node', { kind: 'client', attributes, joins: true }, () =>
          this.#ask(node, { owner, request, claim }, signal),
        );
        if (reply.ok) {
          if (claim) this.#claims?.handOver(claim);
          return reply.placed;
        }
        const { error, isFull, isUnclear } = reply;
        refused.add(instance);
        if (isFull && remainingMs() > 0) this.#forgive(refused, instance);
        if (signal.aborted || (!isFull && (error.code === 'bad_input' || ++failures >= maxFailures))) throw error;
        if (!isUnclear || !claim) continue;
        // The node may yet take the claim over.
        await this.#claims?.free(claim);
        claim = undefined;
        claim = await this.#claims?.take(owner, remainingMs(), signal);
      }
    } catch (error) {
      if (claim) await this.#claims?.free(claim);
      throw error;
    }
  }

  /** Like `lease`, for a session that is started on a node by other ways, such as a restored checkpoint. */
  async place(
    request: LeaseRequest,
    { owner, signal }: { owner: string; signal: AbortSignal },
    { start, end }: Starter,
  ): Promise<SessionInfo> {
    const deadline = performance.now() + (request.waitMs ?? 0);
    const remainingMs = () => Math.max(0, deadline - performance.now());
    const refused = new Set<string>();
    const need: Need = { kind: request.kind, labels: request.labels, owner, request, refused };
    const claim = await this.#claims?.take(owner, remainingMs(), signal);
    let failures = 0;
    let fault: unknown;
    try {
      for (;;) {
        const node = await this.#reserve(need, remainingMs(), signal).catch((full: unknown) => {
          throw fault ?? full;
        });
        const { instance } = node.record;
        let session: SessionInfo;
        try {
          session = await start(node);
        } catch (error) {
          const isFull = error instanceof QuotaReached;
          const isNodes = error instanceof GyreError && error.code === 'infra';
          if (signal.aborted || !isNodes || (!isFull && ++failures >= maxFailures)) throw error;
          if (!isFull) fault = error;
          refused.add(instance);
          if (isFull && remainingMs() > 0) this.#forgive(refused, instance);
          continue;
        } finally {
          node.pending--;
        }
        try {
          if (claim) await this.#hold(instance, { session: session.id, claim });
          if (!signal.aborted) return session;
          throw new GyreError('infra', 'the client that asked for the session disconnected', { part: 'lease' });
        } catch (error) {
          await end(node, session.id).catch(() => undefined);
          throw error;
        }
      }
    } catch (error) {
      if (claim) await this.#claims?.free(claim);
      throw error;
    }
  }

  /** Lists the sessions of all nodes that answer. */
  async list(owner: string | undefined): Promise<SessionInfo[]> {
    const lists = await Promise.all(
      [...this.#members.nodes].map(async ({ record }) => {
        const reply = await this.#request(record.instance, 'list', { owner }, shortMs).catch(() => undefined);
        return (reply && read(ListReply, reply)?.sessions) ?? [];
      }),
    );
    return lists.flat();
  }

  /** Throws `infra` if the node does not answer. */
  async drain(instance: string, on: boolean): Promise<void> {
    const command: z.infer<typeof DrainCommand> = { on };
    const reply = await this.#request(instance, 'drain', command, shortMs).catch(() => undefined);
    if (!reply || !read(Done, reply)?.ok) throw unreachable(instance);
  }

  async leave(): Promise<void> {
    this.#line.close(
      new GyreError('infra', 'the front is shutting down', { part: 'lease', fix: 'use another front of the fleet' }),
    );
    this.#claims?.close();
    await this.#members.leave();
  }

  /** Returns a node with a place that is counted as taken. Throws `QuotaReached`, or `infra` if no node offers it. */
  async #reserve(need: Need, waitMs: number, signal: AbortSignal): Promise<KnownNode> {
    const node = choose(this.#members.nodes, need, this.#strategy);
    if (node) {
      node.pending++;
      return node;
    }
    if (waitMs === 0) throw this.#none(need, 0);
    const waiting: Need & { node?: KnownNode } = { ...need };
    await this.#line.wait(waiting, { waitMs, signal, late: () => this.#none(need, waitMs) });
    return waiting.node!;
  }

  #serveWaiting(): void {
    if (this.#line.length === 0) return;
    this.#line.serve((waiting) => {
      const node = choose(this.#members.nodes, waiting, this.#strategy);
      if (!node) return false;
      node.pending++;
      waiting.node = node;
      return true;
    });
  }

  /** Lets a lease that waits ask a full node again, but not at each of its records. */
  #forgive(refused: Set<string>, instance: string): void {
    setTimeout(() => {
      refused.delete(instance);
      this.#serveWaiting();
    }, againMs).unref();
  }

  get #strategy(): Strategy {
    return this.#options.strategy ?? 'spread';
  }

  #none(need: Need, waitMs: number): GyreError {
    const suitable = [...this.#members.nodes].filter((node) => offers(node, need));
    const capacity = suitable.reduce((sum, node) => sum + (node.load.draining ? 0 : node.record.offer.capacity), 0);
    const isFull = suitable.some((node) => freePlaces(node) <= 0);
    if (suitable.length > 0 && (isFull || need.refused.size > 0))
      return new QuotaReached('sessions', capacity, { waitMs });
    const labels = Object.entries(need.labels ?? {}).map((label) => label.join('='));
    const named = labels.length > 0 ? ` with ${labels.join(', ')}` : '';
    return new GyreError('infra', `no node of the fleet offers this ${need.kind}${named}`, {
      part: 'lease',
      field: labels.length > 0 ? 'labels' : 'kind',
      fix: 'see GET /v1/nodes, and start a node that offers it: gyre serve sandbox --join …',
    });
  }

  async #ask(
    node: KnownNode,
    { owner, request, claim }: { owner: string; request: LeaseRequest; claim: Claim | undefined },
    signal: AbortSignal,
  ): Promise<
    | { readonly ok: true; readonly placed: Placed }
    | { readonly ok: false; readonly error: GyreError; readonly isFull: boolean; readonly isUnclear: boolean }
  > {
    const { instance } = node.record;
    const ask = randomUUID();
    const { waitMs: _, ...terms } = request;
    const command: LeaseCommand = { ask, owner, request: terms, claim };
    const cancel = () => void this.#request(instance, 'cancel', { ask }, shortMs).catch(() => undefined);
    signal.addEventListener('abort', cancel);
    try {
      const bytes = await this.#until(node.gone.signal, this.#request(instance, 'lease', command, this.#times.askMs));
      const reply = read(LeaseReply, bytes);
      if (!reply) throw new Error('the reply is malformed');
      node.pending--;
      this.#members.update(node, reply.load);
      if (!reply.ok) return { ok: false, error: errorOf(reply.error), isFull: reply.full, isUnclear: false };
      const keep = () => void this.#keep(instance, ask);
      return { ok: true, placed: { session: reply.session, keep, cancel } };
    } catch (error) {
      node.pending--;
      if (error instanceof errors.RequestError && error.isNoResponders()) {
        // It is gone, which its silence will show, or it connects again.
        node.load = { ...node.load, draining: true };
        return { ok: false, error: unreachable(instance), isFull: true, isUnclear: false };
      }
      cancel();
      const fault = error instanceof GyreError ? error : unreachable(instance);
      return { ok: false, error: fault, isFull: false, isUnclear: true };
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Leaves a claim to the node of its session. Throws `infra`; the node may have it then. */
  async #hold(instance: string, command: z.infer<typeof HoldCommand>): Promise<void> {
    const reply = await this.#request(instance, 'hold', command, shortMs).catch(() => undefined);
    if (!reply || !read(Done, reply)?.ok) throw unreachable(instance);
    this.#claims?.handOver(command.claim);
  }

  /** Repeats while the node may wait for it: a session that is not kept ends. */
  async #keep(instance: string, ask: string): Promise<void> {
    while (this.#members.node(instance) && !this.#options.nc.isClosed()) {
      if (await this.#request(instance, 'keep', { ask }, this.#times.beatMs).catch(() => undefined)) return;
      await new Promise((resolve) => setTimeout(resolve, this.#times.beatMs / 4));
    }
  }

  async #request(instance: string, verb: Verb, command: object, timeout: number): Promise<Uint8Array> {
    const { nc } = this.#options;
    const text = JSON.stringify(command);
    const longest = nc.info?.max_payload ?? 2 ** 20;
    if (Buffer.byteLength(text) > longest) {
      throw new GyreError('bad_input', `the lease exceeds ${longest} bytes, the limit of NATS`, {
        field: 'files',
        fix: 'write the files after the lease',
      });
    }
    const traceContext = headers();
    for (const [name, value] of Object.entries(traceHeaders())) traceContext.set(name, value);
    return (await nc.request(this.#names.command(instance, verb), text, { timeout, headers: traceContext })).data;
  }

  /** Rejects if the node is lost meanwhile. */
  #until<Result>(gone: AbortSignal, work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const lose = () => reject(new Error('the node is lost'));
      gone.addEventListener('abort', lose);
      if (gone.aborted) lose();
      work.then(resolve, reject).finally(() => gone.removeEventListener('abort', lose));
    });
  }
}

export const unreachable = (instance: string, cause?: Error): GyreError =>
  new GyreError('infra', `the node ${instance} does not answer${cause ? `: ${cause.message}` : ''}`, {
    part: 'node',
    fix: 'lease another session',
    cause,
  });

const codes = z.enum(['bad_input', 'missing', 'corrupt', 'infra', 'bug', 'storage', 'held']);

/** Returns a node's error as it was thrown there. */
export function errorOf({ code, message, field, fix, part }: Failure['error']): GyreError {
  const known = codes.safeParse(code).data ?? 'infra';
  if (known === 'infra') return new GyreError(known, message, { field, fix, part: part ?? 'node' });
  return new GyreError(known, message, { field, fix, part });
}
