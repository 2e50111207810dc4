import type { IncomingHttpHeaders } from 'node:http';

/** Headers that speak for the whole of a host, which is the program's alone inside, but not here. */
const hostWide: ReadonlySet<string> = new Set([
  'alt-svc',
  'clear-site-data',
  'nel',
  'report-to',
  'service-worker-allowed',
  'strict-transport-security',
]);

/** Who may read what is said by the server that shows it, and not by the program. */
const ofSharing = /^(access-control-|cross-origin-resource-policy$)/;

/** Pages may do what pages do, but are of no origin: nothing that the server keeps in a person's browser is theirs to read. */
const sandboxed = 'sandbox allow-downloads allow-forms allow-modals allow-pointer-lock allow-popups allow-scripts';

/** Before the names of a program's cookies here, where this server and others beside it may have their own. */
const inside = 'inside.';

/** The cookies of a request that are the program's, by the names that it has given them. */
export function ownCookies(header: string): string {
  const cookies = header.split(';').map((cookie) => cookie.trim());
  return cookies.flatMap((cookie) => (cookie.startsWith(inside) ? [cookie.slice(inside.length)] : [])).join('; ');
}

/** Where a program answers, and where its answer is shown. */
export interface Place {
  /** Host and port, as the program knows them. */
  readonly host: string;
  /** Of the request. */
  readonly path: string;
  /** What stands before each path here. It ends in a slash. */
  readonly prefix: string;
}

/**
 * Headers of an answer of a program inside, for a place below this server: redirections and cookies stay below it, and its pages get an
 * origin of their own.
 */
export function shownHere(headers: IncomingHttpHeaders, place: Place): IncomingHttpHeaders {
  const { location, 'set-cookie': cookies, 'content-security-policy': policy, ...rest } = headers;
  const kept = Object.entries(rest).filter(([name]) => !hostWide.has(name) && !ofSharing.test(name));
  return {
    ...Object.fromEntries(kept),
    ...(location !== undefined && { location: below(location, place) }),
    ...(cookies && { 'set-cookie': cookies.map((cookie) => bound(cookie, place)) }),
    // Both hold: each policy of several can only forbid.
    'content-security-policy': policy === undefined ? sandboxed : [policy, sandboxed].flat().join(', '),
    // The address of a page may be a secret link.
    'referrer-policy': 'no-referrer',
  };
}

function below(location: string, { host, path, prefix }: Place): string {
  const asked = `http://${host}${path}`;
  if (!URL.canParse(location, asked)) return location;
  const url = new URL(location, asked);
  const { port } = new URL(asked);
  const own = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname) && url.port === port;
  return own ? `${prefix}${url.pathname.slice(1)}${url.search}${url.hash}` : location;
}

function bound(cookie: string, { prefix }: Place): string {
  const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim());
  const path = attributes.find((attribute) => /^path=\//i.test(attribute))?.slice('path=/'.length) ?? '';
  const kept = attributes.filter((attribute) => !/^(path|domain)\b/i.test(attribute));
  return [`${inside}${pair}`, ...kept, `Path=${prefix}${path}`].join('; ');
}
