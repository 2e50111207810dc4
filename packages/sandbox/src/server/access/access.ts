import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify';
import { GyreError, shownInJson } from '@gyre/protocol';
import { HttpRefusal } from '../failures.js';
import { authorizationOf, type Bearer, holds, type TokenScope, type AccessToken, AccessTokens } from '../tokens.js';
import { isLoopback, type OpenToPages, RequestSource } from './requestSource.js';

export interface ServerAccessOptions {
  /** Default 127.0.0.1. Any address that is not loopback needs a token. */
  readonly host?: string | undefined;
  readonly tokens?: readonly AccessToken[] | undefined;
  /** Scope of requests without a token. Default: nothing where there are tokens, else operate. */
  readonly anonymous?: TokenScope | 'nothing' | undefined;
  /** Additional names of the server. */
  readonly allowHosts?: readonly string[] | undefined;
  /** Additional origins of pages that may use the server. */
  readonly allowOrigins?: readonly string[] | undefined;
}

/** Access options in the `config` of a route, whose `onRequest` gives its scope. */
export interface RouteAccess extends OpenToPages {
  /** Media types of bodies in place of JSON; `*` for any. */
  readonly accepts?: readonly string[];
  /** Its replies come from a program inside, with their own headers. */
  readonly foreign?: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
  }
}

/** A route and its scope. */
export interface ClassifiedRoute {
  readonly method: string;
  readonly url: string;
  readonly scope: TokenScope | 'open';
}

/** Headers of replies that are not foreign. Pages set their own policy. */
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
 * Guards a server of gyre's: requests must name its host, come from no foreign page, have a body of JSON if any, and bear a token whose
 * scope includes that of the route.
 */
export class ServerAccess {
  readonly #source: RequestSource;
  readonly #tokens: AccessTokens;
  readonly #anonymous: TokenScope | undefined;
  readonly #classes = new WeakMap<onRequestHookHandler, TokenScope | 'open'>();
  readonly #bearers = new WeakMap<FastifyRequest, Bearer>();
  readonly #routes: ClassifiedRoute[] = [];

  /** Throws `bad_input` for a server that others could reach without a token, and for malformed tokens, hosts and origins. */
  constructor({ host = '127.0.0.1', tokens = [], anonymous, allowHosts, allowOrigins }: ServerAccessOptions) {
    const open = anonymous ?? (tokens.length > 0 ? 'nothing' : 'operate');
    if (!isLoopback(host) && open !== 'nothing') {
      throw new GyreError(
        'bad_input',
        `${host || 'every address'} is reached from other machines, and no token is required`,
        {
          field: '--host',
          fix: 'require one by --token or GYRE_TOKEN (16 characters or more, such as `openssl rand -hex 24` prints), or listen at 127.0.0.1',
        },
      );
    }
    this.#source = new RequestSource({ host, allowHosts, allowOrigins });
    this.#tokens = new AccessTokens(tokens);
    this.#anonymous = open === 'nothing' ? undefined : open;
  }

  /** Routes that were added so far. */
  get routes(): readonly ClassifiedRoute[] {
    return this.#routes;
  }

  /** Returns the `onRequest` of a route for a scope. Routes for `watch` only read: GET and HEAD. */
  readonly may = (wanted: TokenScope): onRequestHookHandler => {
    const check: onRequestHookHandler = (request, _, done) => {
      const bearer = this.#identify(request);
      if (!bearer)
        return done(new HttpRefusal(401, 'no token, or none that is known', 'send Authorization: Bearer TOKEN'));
      if (!holds(bearer.scope, wanted))
        return done(new HttpRefusal(403, `the token is for ${bearer.scope} alone`, `use a token for ${wanted}`));
      this.#bearers.set(request, bearer);
      done();
    };
    this.#classes.set(check, wanted);
    return check;
  };

  /** The `onRequest` of a route for everyone: it reveals nothing, or its path is a secret. */
  readonly open: onRequestHookHandler = (_, __, done) => done();

  /** Returns the owner of a request's token, once `may` has let the request through. */
  bearer(request: FastifyRequest): Bearer | undefined {
    return this.#bearers.get(request);
  }

  /** Returns the owner of the token in an Authorization header; undefined for an unknown one. */
  known(authorization: string | undefined): Bearer | undefined {
    return this.#tokens.bearer(authorization);
  }

  /** Guards all routes that are added after it, and refuses those without a scope. */
  guard(app: FastifyInstance): void {
    this.#classes.set(this.open, 'open');
    app.addHook('onRoute', (route) => this.#classify(route));
    app.addHook('onRequest', (request, reply, done) => this.#admit(request, reply, done));
    // Names and errors may hold control characters, and people read replies in terminals.
    app.addHook('onSend', (_, reply, payload, done) => {
      const isJson = typeof payload === 'string' && String(reply.getHeader('content-type')).includes('json');
      if (!isJson) return done(null, payload);
      const shown = shownInJson(payload);
      if (shown.length !== payload.length) void reply.removeHeader('content-length');
      done(null, shown);
    });
    // Forms of foreign pages can send text/plain; JSON needs a preflight.
    app.removeContentTypeParser('text/plain');
  }

  #classify({ method, url, onRequest }: RouteOptions): void {
    const hooks = [onRequest ?? []].flat() as onRequestHookHandler[];
    const scope = hooks.map((hook) => this.#classes.get(hook)).find((found) => found !== undefined);
    for (const each of [method].flat()) {
      if (scope === undefined)
        throw new Error(`the route ${each} ${url} does not say who may use it: give it an onRequest of Access`);
      if (scope === 'watch' && each !== 'GET' && each !== 'HEAD')
        throw new Error(`the route ${each} ${url} is for watch, which only looks: only GET and HEAD can be`);
      this.#routes.push({ method: each, url, scope });
    }
  }

  #admit(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const { access = {} } = request.routeOptions.config as { access?: RouteAccess };
    const refused = this.#source.refusal(request.raw, access);
    if (refused) {
      // Node has let go of the connection of an upgrade.
      if (request.headers.upgrade !== undefined) reply.raw.once('finish', () => request.raw.socket.destroySoon());
      return done(new HttpRefusal(403, refused.message, refused.fix));
    }
    if (!access.foreign) void reply.headers(answerHeaders);
    const { origin } = request.headers;
    if (this.#source.allowsOrigin(origin)) {
      void reply.headers({ 'access-control-allow-origin': origin, vary: 'origin' });
      if (request.method === 'OPTIONS') {
        const asked = request.headers['access-control-request-headers'] ?? '';
        return void reply
          .status(204)
          .headers({ ...preflightHeaders, 'access-control-allow-headers': asked })
          .send();
      }
    }
    const type = bodyType(request);
    const accepts = access.accepts ?? ['application/json'];
    if (type !== undefined && !accepts.includes('*') && !accepts.includes(type)) {
      return done(
        new HttpRefusal(415, `a body of type ${type || 'none'} is not taken`, `send it as ${accepts.join(' or ')}`),
      );
    }
    done();
  }

  #identify(request: FastifyRequest): Bearer | undefined {
    const header = authorizationOf(request.headers);
    const known = this.#tokens.bearer(header);
    if (known || this.#anonymous === undefined) return known;
    return { name: 'anonymous', scope: this.#anonymous };
  }
}

/** Returns the media type of a body without parameters; undefined where there is neither body nor type. */
function bodyType({ headers }: FastifyRequest): string | undefined {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  if (type === undefined && Number(length) === 0 && encoding === undefined) return undefined;
  return (type ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}
