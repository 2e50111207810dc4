import type { z } from 'zod';
import type { TokenScope } from '../server/tokens.js';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** A media type, a WebSocket, or any reply of a program inside. */
export type Media =
  | 'application/octet-stream'
  | 'image/png'
  | 'text/event-stream'
  | 'text/html'
  | 'text/plain'
  | 'video/*'
  | 'websocket'
  | '*';

/** Shared by server, documentation and client. */
export interface Route {
  readonly method: Method | readonly Method[];
  readonly path: string;
  readonly scope: TokenScope | 'open';
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType | Media;
  readonly bodyLimit?: number;
  /** Absent: 204. */
  readonly reply?: z.ZodType | Media;
  /** Default: 200. */
  readonly status?: 201;
  /** Omits it from the OpenAPI document. */
  readonly hidden?: true;
}

export const route = <const Declared extends Route>(declared: Declared): Declared => declared;

type Sent<Part> = Part extends z.ZodType ? z.input<Part> : Uint8Array;
type Parsed<Part> = Part extends z.ZodType ? z.output<Part> : unknown;

type Field<Name extends string, Declared extends Route, Key extends 'params' | 'query' | 'body'> =
  Declared extends Record<Key, infer Part extends z.ZodType | Media> ? Record<Name, Sent<Part>> : unknown;

export type RequestOf<Declared extends Route> = Field<'params', Declared, 'params'> &
  Field<'query', Declared, 'query'> &
  Field<'body', Declared, 'body'>;

export type ReplyOf<Declared extends Route> = Declared extends { readonly reply: infer Reply }
  ? Reply extends z.ZodType
    ? z.output<Reply>
    : Response
  : undefined;

export type ResultOf<Declared extends Route> = Declared extends { readonly reply: infer Reply extends z.ZodType }
  ? z.output<Reply>
  : unknown;

export type ParamsOf<Declared extends Route> = Declared extends { readonly params: infer Part }
  ? Parsed<Part>
  : unknown;
export type QueryOf<Declared extends Route> = Declared extends { readonly query: infer Part } ? Parsed<Part> : unknown;
export type BodyOf<Declared extends Route> = Declared extends { readonly body: infer Part } ? Parsed<Part> : unknown;

export function addressOf(
  { path }: Pick<Route, 'path'>,
  params: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const filled = path.replace(/:(\w+)|\*/g, (part, name: string | undefined) =>
    // * may contain slashes.
    name === undefined ? encodeURI(String(params[part])) : encodeURIComponent(String(params[name])),
  );
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return search === '' ? filled : `${filled}?${search}`;
}
