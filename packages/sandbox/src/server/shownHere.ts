import type { IncomingHttpHeaders } from 'node:http';

/** Headers that apply to a whole host, which here is not the program's alone. */
const hostWide: ReadonlySet<string> = new Set([
  'alt-svc',
  'clear-site-data',
  'nel',
  'report-to',
  'service-worker-allowed',
  'strict-transport-security',
]);

/** Sharing headers, which this server sets and not the program. */
const ofSharing = /^(access-control-|cross-origin-resource-policy$)/;

/** Gives pages no origin, so that they cannot read what the server stores in a browser. */
const sandboxed = 'sandbox allow-downloads allow-forms allow-modals allow-pointer-lock allow-popups allow-scripts';

/** Prefix of a program's cookies, which keeps them apart from those of this host. */
const inside = 'inside.';

/** Returns the program's cookies of a request, by their own names. */
export function ownCookies(header: string): string {
  const cookies = header.split(';').map((cookie) => cookie.trim());
  return cookies.flatMap((cookie) => (cookie.startsWith(inside) ? [cookie.slice(inside.length)] : [])).join('; ');
}

/** The address of a program, and of its pages here. */
export interface Place {
  /** Host and port, as the program knows them. */
  readonly host: string;
  readonly path: string;
  /** Prefix of each path here. It ends in a slash. */
  readonly prefix: string;
}

/** Rewrites the headers of a program's reply: redirects and cookies stay below `prefix`, and pages get an origin of their own. */
export function shownHere(headers: IncomingHttpHeaders, place: Place): IncomingHttpHeaders {
  const { location, 'set-cookie': cookies, 'content-security-policy': policy, ...rest } = headers;
  const kept = Object.entries(rest).filter(([name]) => !hostWide.has(name) && !ofSharing.test(name));
  return {
    ...Object.fromEntries(kept),
    ...(location !== undefined && { location: below(location, place) }),
    ...(cookies && { 'set-cookie': cookies.map((cookie) => bound(cookie, place)) }),
    // Several policies all apply.
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
