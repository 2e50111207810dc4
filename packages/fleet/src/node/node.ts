import { callerOf, failSpan, GyreError, traced } from '@gyre/protocol';
import { errorReply } from '@gyre/sandbox';
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import type { z } from 'zod';
import { Bucket } from '../nats/bucket.js';
import { onConnection } from '../nats/connect.js';
import { defaultTimes, type Times } from '../times.js';
import {
  AskCommand,
  type Done,
  DrainCommand,
  HoldCommand,
  LeaseCommand,
  type LeaseReply,
  ListCommand,
  type ListReply,
  type Verb,
} from '../wire/command.js';
import { type Load, type NodeRecord, Offer, writeHolder } from '../wire/member.js';
import { namesOf } from '../wire/names.js';
import { read } from '../wire/read.js';
import { type HostedSession, isFull, type NodeHost } from './host.js';

export interface NodeOptions {
  readonly nc: NatsConnection;
  readonly fleet: string;
  /** From `newInstance`; begins the ids of its sessions. */
  readonly instance: string;
  /** See `Delegation`. */
  readonly token: string;
  readonly offer: Offer;
  readonly host: NodeHost;
  readonly times?: Partial<Times>;
}

interface Ask {
  readonly cancel: AbortController;
  readonly reply: Promise<LeaseReply>;
  session?: HostedSession;
  expiry?: NodeJS.Timeout;
}

/** Records in quick succession are one. */
const settleMs = 100;

/** Offers one machine's leases to a fleet. It alone decides about its places: fronts ask. */
export class FleetNode {
  readonly #options: NodeOptions;
  readonly #times: Times;
  readonly #members: Bucket;
  readonly #claims: Bucket;
  readonly #asks = new Map<string, Ask>();
  /** Keys of claims by their sessions. */
  readonly #held = new Map<string, string>();
  readonly #stops: (() => void)[] = [];
  readonly #key: string;
  #seq = 0;
  #starting = 0;
  #settling: NodeJS.Timeout | undefined;
  #dirty = false;
  #left = false;
  /** Whether it is cut off from NATS, and so from fronts that would keep their sessions. */
  #isCut = false;

  private constructor(options: NodeOptions, members: Bucket, claims: Bucket) {
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
    this.#members = members;
    this.#claims = claims;
    this.#key = `node.${options.instance}`;
  }

  /** Throws `bad_input` for an invalid offer, and `infra` if NATS does not store the fleet. */
  static async join(options: NodeOptions): Promise<FleetNode> {
    const { nc, fleet, host } = options;
    Offer.parse(options.offer);
    const names = namesOf(fleet);
    const times = { ...defaultTimes, ...options.times };
    const members = await Bucket.open(nc, names.members, times.lostMs);
    const node = new FleetNode(options, members, await Bucket.open(nc, names.claims));
    const commands = nc.subscribe(names.command(options.instance, '*'), {
      callback: (error, message) => {
        if (!error) node.#obey(message);
      },
    });
    await nc.flush();
    await node.#record();
    const beat = setInterval(() => void node.#record().catch(() => undefined), times.beatMs);
    host.onChange(() => node.#changed());
    const forget = onConnection(nc, (isConnected) => {
      node.#isCut = !isConnected;
      if (isConnected) void node.#returned();
    });
    node.#stops.push(
      () => commands.unsubscribe(),
      () => clearInterval(beat),
      forget,
    );
    return node;
  }

  get load(): Load {
    const { taken, warm, isOpen } = this.#options.host;
    return { taken: Math.max(0, taken - this.#starting), starting: this.#starting, warm, draining: !isOpen };
  }

  /** Takes no more leases. Sessions continue. */
  drain(on = true): void {
    this.#options.host.open(!on);
    this.#changed();
  }

  /** Leaves the fleet at once. Its sessions are the host's to end. */
  async leave(): Promise<void> {
    this.#left = true;
    clearTimeout(this.#settling);
    for (const stop of this.#stops) stop();
    for (const { cancel, expiry } of this.#asks.values()) {
      cancel.abort();
      clearTimeout(expiry);
    }
    const deletions = [...this.#held.values()].map((key) => this.#claims.delete(key));
    await Promise.allSettled([this.#members.delete(this.#key), ...deletions]);
  }

  async #record(): Promise<void> {
    const { instance, token, offer } = this.#options;
    const record: NodeRecord = { instance, seq: this.#seq++, token, offer, load: this.load };
    if (!this.#left) await this.#members.put(this.#key, JSON.stringify(record));
  }

  #changed(): void {
    this.#dirty = true;
    if (this.#settling !== undefined || this.#left) return;
    this.#dirty = false;
    void this.#record().catch(() => undefined);
    this.#settling = setTimeout(() => {
      this.#settling = undefined;
      if (this.#dirty) this.#changed();
    }, settleMs);
  }

  #obey(message: Msg): void {
    const verb = message.subject.slice(message.subject.lastIndexOf('.') + 1) as Verb;
    const known = Object.hasOwn(this.#verbs, verb);
    // A malformed command is nobody's: a front of this version sends none.
    const answer = known ? this.#verbs[verb](message.data, message.headers) : undefined;
    void answer?.then((reply) => message.respond(JSON.stringify(reply)));
  }

  readonly #verbs: Readonly<
    Record<Verb, (data: Uint8Array, headers?: MsgHdrs) => Promise<LeaseReply | ListReply | Done> | undefined>
  > = {
    lease: (data, headers) => obeying(LeaseCommand, data, (command) => this.#ask(command, headers).reply),
    keep: (data) =>
      obeying(AskCommand, data, ({ ask }) => {
        const answered = this.#asks.get(ask);
        clearTimeout(answered?.expiry);
        this.#asks.delete(ask);
        return Promise.resolve({ ok: answered?.session !== undefined });
      }),
    cancel: (data) =>
      obeying(AskCommand, data, async ({ ask }) => {
        await this.#cancel(ask);
        return { ok: true, load: this.load };
      }),
    hold: (data) =>
      obeying(HoldCommand, data, async ({ session, claim }) => {
        const hosted = this.#options.host.find(session);
        if (!hosted) return { ok: false };
        try {
          await this.#holdClaim(claim, hosted);
          return { ok: true };
        } catch {
          await hosted.release();
          return { ok: false };
        }
      }),
    list: (data) =>
      obeying(ListCommand, data, ({ owner }) => Promise.resolve({ sessions: this.#options.host.list(owner) })),
    drain: (data) =>
      obeying(DrainCommand, data, ({ on }) => {
        this.drain(on);
        return Promise.resolve({ ok: true, load: this.load });
      }),
  };

  #ask(command: LeaseCommand, headers: MsgHdrs | undefined): Ask {
    const known = this.#asks.get(command.ask);
    if (known) return known;
    const cancel = new AbortController();
    const parent =
      headers && callerOf({ traceparent: headers.get('traceparent'), tracestate: headers.get('tracestate') });
    const attributes = { 'gyre.node': this.#options.instance, 'gyre.kind': command.request.kind };
    const reply = traced('lease', { kind: 'server', attributes, parent, joins: true }, async (span) => {
      const answer = await this.#lease(command, cancel.signal);
      if (answer.ok) span.setAttribute('gyre.session', answer.session.id);
      else failSpan(span, Object.assign(new Error(answer.error.message), { name: answer.error.code }));
      return answer;
    });
    const ask: Ask = { cancel, reply };
    this.#asks.set(command.ask, ask);
    return ask;
  }

  async #lease({ ask, owner, request, claim }: LeaseCommand, signal: AbortSignal): Promise<LeaseReply> {
    const { host } = this.#options;
    let session: HostedSession | undefined;
    this.#starting++;
    try {
      session = await host.lease(request, { owner, signal }).finally(() => this.#starting--);
      if (claim) await this.#holdClaim(claim, session);
      if (signal.aborted) throw gaveUp('the front cancelled the lease');
      const leased = session;
      const entry = this.#asks.get(ask);
      if (entry) {
        entry.session = leased;
        this.#awaitKeep(ask, entry);
      }
      return { ok: true, session: leased.info, load: this.load };
    } catch (error) {
      await session?.release().catch(() => undefined);
      this.#asks.delete(ask);
      return { ok: false, error: errorReply(error).body.error, full: isFull(error), load: this.load };
    }
  }

  #awaitKeep(name: string, ask: Ask): void {
    clearTimeout(ask.expiry);
    ask.expiry = setTimeout(() => {
      if (this.#isCut) this.#awaitKeep(name, ask);
      else void this.#cancel(name);
    }, this.#times.keepMs);
  }

  /** Makes the place in the owner's quota this node's. Throws if the front has given it up. */
  async #holdClaim(
    { key, revision }: NonNullable<LeaseCommand['claim']>,
    { info, ended }: HostedSession,
  ): Promise<void> {
    const revisionNow = await this.#claims.update(key, writeHolder(this.#key), revision);
    if (revisionNow === undefined) throw gaveUp('the place in the quota was given up');
    this.#held.set(info.id, key);
    void ended.then(() => this.#freeClaim(info.id, key));
  }

  async #freeClaim(session: string, key: string): Promise<void> {
    while (!this.#left) {
      try {
        await this.#claims.delete(key);
        break;
      } catch {
        // NATS is away, and would otherwise count the session until a sweep.
        await new Promise((resolve) => setTimeout(resolve, this.#times.beatMs));
      }
    }
    this.#held.delete(session);
  }

  async #cancel(name: string): Promise<void> {
    const ask = this.#asks.get(name);
    if (!ask) return;
    ask.cancel.abort();
    clearTimeout(ask.expiry);
    this.#asks.delete(name);
    await ask.session?.release().catch(() => undefined);
  }

  /** Fronts may have reclaimed what this node held while it was away. */
  async #returned(): Promise<void> {
    for (const [name, ask] of this.#asks) if (ask.session) this.#awaitKeep(name, ask);
    await this.#record().catch(() => undefined);
    for (const key of this.#held.values()) {
      await this.#claims.create(key, writeHolder(this.#key)).catch(() => undefined);
    }
  }
}

const gaveUp = (message: string): GyreError => new GyreError('infra', message, { part: 'lease', fix: 'lease again' });

function obeying<Schema extends z.ZodType, Reply>(
  schema: Schema,
  data: Uint8Array,
  obey: (command: z.output<Schema>) => Promise<Reply>,
): Promise<Reply> | undefined {
  const command = read(schema, data);
  return command === undefined ? undefined : obey(command);
}
