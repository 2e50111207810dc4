import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { SandboxEvent } from '../events/event.js';
import type { EventsOptions } from '../events/eventStream.js';
import type { Checkpoint } from '../lease/checkpoint.js';
import type { MachineKind, SandboxKind } from '../lease/kind.js';
import { readServerSentEvents } from '../server/serverSentEvents.js';
import type { LeaseRequest } from '../wire/lease.js';
import { routes } from '../wire/routes.js';
import type { SessionInfo } from '../wire/session.js';
import { type ClientSession, type ClientSurfaces, LinkedSession } from './clientSession.js';
import { type ClientOptions, Link, parsed } from './link.js';

/** Time to reach a node, before its fleet's front is used instead. */
const directMs = 3_000;

/** Leases from a sandbox server, or from a fleet's front. */
export class SandboxClient {
  readonly #link: Link;
  readonly #options: ClientOptions;

  /** Throws `bad_input` for an address that is not HTTP. */
  constructor(options: ClientOptions) {
    this.#link = new Link(options);
    this.#options = options;
  }

  /** Throws the server's error, or `infra` without a reply. */
  async lease<Kind extends SandboxKind>(terms: LeaseRequest & { readonly kind: Kind }): Promise<ClientSession<Kind>> {
    const info = await this.#link.call(routes.sessions.lease, { body: terms });
    if (info.kind !== terms.kind) throw otherKind(info.kind);
    return (await this.#session(info)) as ClientSession<Kind>;
  }

  async restore(
    checkpoint: Checkpoint,
    lease: Pick<LeaseRequest, 'ttlMs' | 'waitMs' | 'labels'> = {},
  ): Promise<ClientSession<MachineKind>> {
    const info = await this.#link.call(routes.checkpoints.restore, { body: { checkpoint, ...lease } });
    if (info.kind !== checkpoint.terms.kind) throw otherKind(info.kind);
    return (await this.#session(info)) as ClientSession<MachineKind>;
  }

  sessions(): Promise<SessionInfo[]> {
    return this.#link.call(routes.sessions.list, {});
  }

  /**
   * Yields future events of one session or, for admins, of all, until its end or `signal`. Throws `infra` if the server
   * disappears.
   */
  async *events({ session, signal }: Omit<EventsOptions, 'capacity'> = {}): AsyncGenerator<SandboxEvent, void> {
    const ended = new AbortController();
    const until = AbortSignal.any([ended.signal, ...(signal ? [signal] : [])]);
    try {
      const { body } = await (session === undefined
        ? this.#link.send(routes.events.all, {}, until)
        : this.#link.send(routes.events.session, { params: { id: session } }, until));
      if (!body) return;
      for await (const data of readServerSentEvents(body)) {
        const event = parsedEvent(data);
        if (event) yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      throw error instanceof GyreError
        ? error
        : new GyreError('infra', 'the connection to the server was lost', { part: 'remote', cause: error });
    } finally {
      ended.abort();
    }
  }

  async #session(info: SessionInfo): Promise<ClientSurfaces> {
    const link = (await this.#direct(info)) ?? this.#link;
    return new LinkedSession(link, info, (checkpoint, lease) => this.restore(checkpoint, lease));
  }

  /** Returns a link to the session's node if a fleet names one that this machine reaches. */
  async #direct({ id, direct }: SessionInfo): Promise<Link | undefined> {
    if (!direct) return undefined;
    const link = new Link({ ...this.#options, ...direct });
    try {
      await link.send(routes.sessions.get, { params: { id } }, AbortSignal.timeout(directMs));
      return link;
    } catch {
      return undefined;
    }
  }
}

const eventTypes = new Set<string>(SandboxEvent.options.map(({ shape }) => shape.type.value));

/** Ignores a newer server's events. Throws `infra` for malformed ones. */
function parsedEvent(data: string): SandboxEvent | undefined {
  const { type } = parsed(routes.events.all, z.looseObject({ type: z.string() }), json(data));
  return eventTypes.has(type) ? parsed(routes.events.all, SandboxEvent, json(data)) : undefined;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function otherKind(kind: SandboxKind): GyreError {
  return new GyreError('infra', `the server leased another kind: ${kind}`, {
    part: 'remote',
    field: 'kind',
    fix: 'use a server of the same version as the client',
  });
}
