import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { GyreError, traceHeaders } from '@gyre/protocol';
import {
  delegatedHeaders,
  HttpRefusal,
  isTokenProtocol,
  proxyRequest,
  proxyUpgrade,
  type ServerAccess,
} from '@gyre/sandbox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { instanceOf } from '../wire/names.js';
import { unreachable } from './front.js';
import type { KnownNode, Members } from './members.js';

type Headers = FastifyRequest['headers'];

/** Finds the node of a session by its id. Throws `infra` if the node is lost, and 404 if there never was one. */
export function nodeOf(members: Members, session: string): KnownNode {
  const instance = instanceOf(session) ?? '';
  const node = members.node(instance);
  if (node) return node;
  if (members.wasLost(instance)) {
    throw new GyreError('infra', `the node ${instance} was lost, with its sessions`, {
      part: 'node',
      fix: 'lease another session',
    });
  }
  throw new HttpRefusal(404, `there is no session ${session} for this token`, 'lease a session');
}

/** Passes a request on to a node, which checks whether its bearer may do it. */
export async function proxyToNode(
  { record: { offer, token, instance } }: KnownNode,
  { request, reply, access }: { request: FastifyRequest; reply: FastifyReply; access: ServerAccess },
): Promise<unknown> {
  const url = new URL(offer.url);
  const bearer = access.bearer(request);
  const target = {
    connect: () => dial(url),
    host: url.host,
    path: request.raw.url ?? '/',
    onwardHeaders: (headers: Headers): Headers => ({
      ...forwarded(headers, url.host),
      ...traceHeaders(),
      ...(bearer && {
        authorization: `Bearer ${token}`,
        [delegatedHeaders.owner]: bearer.name,
        [delegatedHeaders.scope]: bearer.scope,
        [delegatedHeaders.host]: request.host,
      }),
    }),
    unreachable: (cause: Error) => unreachable(instance, cause),
  };
  return request.ws ? proxyUpgrade(request, reply, target) : proxyRequest(request, reply, target);
}

const notForwarded: ReadonlySet<string> = new Set([
  ...['authorization', 'x-gyre-token', 'origin', 'referer', 'sec-fetch-site', 'sec-websocket-protocol'],
  ...Object.values(delegatedHeaders),
]);

/** Omits what this server has checked, and what only it may say. */
function forwarded(headers: Headers, host: string): Headers {
  const { 'sec-websocket-protocol': requested = '', origin } = headers;
  const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => !notForwarded.has(name)));
  const protocols = requested.split(',').map((name) => name.trim());
  const passed = protocols.filter((name) => name !== '' && !isTokenProtocol(name));
  return {
    ...rest,
    ...(origin !== undefined && { origin: `http://${host}` }),
    ...(passed.length > 0 && { 'sec-websocket-protocol': passed.join(', ') }),
  };
}

function dial({ protocol, hostname, port }: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket =
      protocol === 'https:'
        ? connectTls({ host, port: Number(port || 443), servername: host }, () => resolve(socket))
        : connectTcp({ host, port: Number(port || 80) }, () => resolve(socket));
    socket.once('error', reject);
    socket.setTimeout(dialMs, () => socket.destroy(new Error('no answer')));
    socket.once('connect', () => socket.setTimeout(0));
  });
}

const dialMs = 5_000;
