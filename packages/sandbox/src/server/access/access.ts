import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify';
import { GyreError, shownInJson } from '@gyre/protocol';
import { HttpRefusal } from '../failures.js';
import { authorizationOf, type Bearer, grants, type TokenScope, type AccessToken, AccessTokens } from '../tokens.js';
import type { Delegation } from './delegation.js';
import { isLoopback, type OpenToPages, RequestSource } from './requestSource.js';

export interface ServerAccessOptions {
  /** Default: 127.0.0.1. Others require a token. */
  readonly host?: string | undefined;
  readonly tokens?: readonly AccessToken[] | undefined;
  /** Default: nothing if there are tokens, else operate. */
  readonly anonymous?: TokenScope | 'nothing' | undefined;
  readonly allowHosts?: readonly string[] | undefined;
  readonly allowOrigins?: readonly string[] | undefined;
  /** Default: none. */
  readonly delegation?: Delegation | undefined;
}

/** A route's `config`; its `onRequest` sets the scope. */
export interface RouteAccess extends OpenToPages {
  /** Media types instead of JSON; `*` for any. */
  readonly accepts?: readonly string[];
  /** A program inside sets the reply's headers. */
  readonly foreign?: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
  }
}

export interface ClassifiedRoute {
  readonly method: string;
  readonly url: string;
  readonly scope: TokenScope | 'open';
}

/** Pages set their own policy. */
const answerHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-resource-policy': 'same-origin',
};

const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
  'access-control-max-age': '600',
};

/**
 * Guards a server: requests must name its host, come from no foreign page, have no body but JSON, and bear a token with
 * the route's scope.
 */
export class ServerAccess {
  readonly #source: RequestSource;
  readonly #tokens: AccessTokens;
  readonly #anonymous: TokenScope | undefined;
  readonly #delegation: Delegation | undefined;
  readonly #classes = new WeakMap<onRequestHookHandler, TokenScope | 'open'>();
  readonly #bearers = new WeakMap<FastifyRequest, Bearer>();
  readonly #routes: ClassifiedRoute[] = [];

  /** Throws `bad_input` for a server exposed without a token, or malformed options. */
  constructor(options: ServerAccessOptions) {
    const { host = '127.0.0.1', tokens = [], anonymous, allowHosts, allowOrigins } = options;
    this.#delegation = options.delegation;
    const open = anonymous ?? (tokens.length > 0 ? 'nothing' : 'operate');
    if (!isLoopback(host) && open !== 'nothing') {
      throw new GyreError(
        'bad_input',
        `${host || 'every address'} is reachable from other machines, but no token is required`,
        {
          field: '--host',
          fix: 'set --token or GYRE_TOKEN (16 characters or more, such as the output of `openssl rand -hex 24`), or listen on 127.0.0.1',
        },
      );
    }
    this.#source = new RequestSource({ host, allowHosts, allowOrigins });
    this.#tokens = new AccessTokens(tokens);
    this.#anonymous = open === 'nothing' ? undefined : open;
  }

  get routes(): readonly ClassifiedRoute[] {
    return this.#routes;
  }

  /** Routes for `watch` are GET and HEAD. */
  readonly may = (required: TokenScope): onRequestHookHandler => {
    const check: onRequestHookHandler = (request, _, done) => {
      const bearer = this.#identify(request);
      if (!bearer)
        return done(new HttpRefusal(401, 'the token is missing or unknown', 'send Authorization: Bearer TOKEN'));
      if (!grants(bearer.scope, required))
        return done(new HttpRefusal(403, `the token is for ${bearer.scope} only`, `use a token for ${required}`));
      const { id } = (request.params ?? {}) as { id?: string };
      if (bearer.session !== undefined && bearer.session !== id)
        return done(new HttpRefusal(403, 'the token is for one session only', 'use the token that leased it'));
      this.#bearers.set(request, bearer);
      done();
    };
    this.#classes.set(check, required);
    return check;
  };

  /** For routes that reveal nothing, or have a secret path. */
  readonly open: onRequestHookHandler = (_, __, done) => done();

  /** Valid after `may`. */
  bearer(request: FastifyRequest): Bearer | undefined {
    return this.#bearers.get(request);
  }

  known(authorization: string | undefined): Bearer | undefined {
    return this.#tokens.bearer(authorization);
  }

  /** Guards later routes, and refuses any without a scope. */
  guard(app: FastifyInstance): void {
    this.#classes.set(this.open, 'open');
    app.addHook('onRoute', (route) => this.#classify(route));
    app.addHook('onRequest', (request, reply, done) => this.#admit(request, reply, done));
    // Control characters could attack terminals.
    app.addHook('onSend', (_, reply, payload, done) => {
      const isJson = typeof payload === 'string' && String(reply.getHeader('content-type')).includes('json');
      if (!isJson) return done(null, payload);
      const escaped = shownInJson(payload);
      if (escaped.length !== payload.length) void reply.removeHeader('content-length');
      done(null, escaped);
    });
    // Foreign forms can send text/plain; JSON needs a preflight.
    app.removeContentTypeParser('text/plain');
  }

  #classify({ method, url, onRequest }: RouteOptions): void {
    const hooks = [onRequest ?? []].flat() as onRequestHookHandler[];
    const scope = hooks.map((hook) => this.#classes.get(hook)).find((found) => found !== undefined);
    for (const each of [method].flat()) {
      if (scope === undefined)
        throw new Error(`the route ${each} ${url} has no access scope: set an onRequest of Access`);
      if (scope === 'watch' && each !== 'GET' && each !== 'HEAD')
        throw new Error(`the route ${each} ${url} has the scope watch, which allows GET and HEAD only`);
      this.#routes.push({ method: each, url, scope });
    }
  }

  #admit(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const { access = {} } = request.routeOptions.config as { access?: RouteAccess };
    const refused = this.#source.refusal(request.raw, access);
    if (refused) {
      // Node no longer manages an upgrade's connection.
      if (request.headers.upgrade !== undefined) reply.raw.once('finish', () => request.raw.socket.destroySoon());
      return done(new HttpRefusal(403, refused.message, refused.fix));
    }
    if (!access.foreign) void reply.headers(answerHeaders);
    const { origin } = request.headers;
    if (this.#source.allowsOrigin(origin)) {
      void reply.headers({ 'access-control-allow-origin': origin, vary: 'origin' });
      if (request.method === 'OPTIONS') {
        const requestedHeaders = request.headers['access-control-request-headers'] ?? '';
        return void reply
          .status(204)
          .headers({ ...preflightHeaders, 'access-control-allow-headers': requestedHeaders })
          .send();
      }
    }
    const type = bodyType(request);
    const accepts = access.accepts ?? ['application/json'];
    if (type !== undefined && !accepts.includes('*') && !accepts.includes(type)) {
      return done(
        new HttpRefusal(
          415,
          `the content type ${type || 'none'} is not supported`,
          `send it as ${accepts.join(' or ')}`,
        ),
      );
    }
    done();
  }

  #identify(request: FastifyRequest): Bearer | undefined {
    const header = authorizationOf(request.headers);
    const known = this.#delegation?.bearer(header, request.headers) ?? this.#tokens.bearer(header);
    if (known || this.#anonymous === undefined) return known;
    return { name: 'anonymous', scope: this.#anonymous };
  }
}

function bodyType({ headers }: FastifyRequest): string | undefined {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  if (type === undefined && Number(length) === 0 && encoding === undefined) return undefined;
  return (type ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}
