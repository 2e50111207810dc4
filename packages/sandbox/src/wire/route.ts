import type { z } from 'zod';
import type { TokenScope } from '../server/tokens.js';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** A body that is not JSON: a media type, a WebSocket, or whatever a program inside the session sends. */
export type Media =
  | 'application/octet-stream'
  | 'image/png'
  | 'text/event-stream'
  | 'text/html'
  | 'text/plain'
  | 'video/*'
  | 'websocket'
  | '*';

/** One route between `SandboxClient` and the server: the server registers and documents it, the client calls it. */
export interface Route {
  readonly method: Method | readonly Method[];
  readonly path: string;
  readonly scope: TokenScope | 'open';
  readonly summary: string;
  /** The parts of `path` that begin with a colon, by name. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType | Media;
  /** Bytes of a body. */
  readonly bodyLimit?: number;
  /** Without, the server replies 204. */
  readonly reply?: z.ZodType | Media;
  /** Default 200. */
  readonly status?: 201;
  /** Keeps the route out of the OpenAPI document. */
  readonly hidden?: true;
}

/** Declares a route and keeps its exact type. */
export const route = <const Declared extends Route>(declared: Declared): Declared => declared;

type Sent<Part> = Part extends z.ZodType ? z.input<Part> : Uint8Array;
type Parsed<Part> = Part extends z.ZodType ? z.output<Part> : unknown;

type Field<Name extends string, Declared extends Route, Key extends 'params' | 'query' | 'body'> =
  Declared extends Record<Key, infer Part extends z.ZodType | Media> ? Record<Name, Sent<Part>> : unknown;

/** The request of a client. */
export type RequestOf<Declared extends Route> = Field<'params', Declared, 'params'> &
  Field<'query', Declared, 'query'> &
  Field<'body', Declared, 'body'>;

/** The reply to a client: parsed JSON, nothing, or the response where it is not JSON. */
export type ReplyOf<Declared extends Route> = Declared extends { readonly reply: infer Reply }
  ? Reply extends z.ZodType
    ? z.output<Reply>
    : Response
  : undefined;

/** The result of a server's handler where the reply is JSON. */
export type ResultOf<Declared extends Route> = Declared extends { readonly reply: infer Reply extends z.ZodType }
  ? z.output<Reply>
  : unknown;

export type ParamsOf<Declared extends Route> = Declared extends { readonly params: infer Part }
  ? Parsed<Part>
  : unknown;
export type QueryOf<Declared extends Route> = Declared extends { readonly query: infer Part } ? Parsed<Part> : unknown;
export type BodyOf<Declared extends Route> = Declared extends { readonly body: infer Part } ? Parsed<Part> : unknown;

/** Returns the path and query of a request, encoded. */
export function addressOf(
  { path }: Pick<Route, 'path'>,
  params: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const filled = path.replace(/:(\w+)|\*/g, (part, name: string | undefined) =>
    // What stands for * has slashes of its own.
    name === undefined ? encodeURI(String(params[part])) : encodeURIComponent(String(params[name])),
  );
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return search === '' ? filled : `${filled}?${search}`;
}
