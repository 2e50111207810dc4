import type { IncomingHttpHeaders } from 'node:http';

const hostWide: ReadonlySet<string> = new Set([
  'alt-svc',
  'clear-site-data',
  'nel',
  'report-to',
  'service-worker-allowed',
  'strict-transport-security',
]);

/** Set by this server. */
const ofSharing = /^(access-control-|cross-origin-resource-policy$)/;

/** An opaque origin: pages cannot read what this server stores in a browser. */
const sandboxed = 'sandbox allow-downloads allow-forms allow-modals allow-pointer-lock allow-popups allow-scripts';

/** Separates the program's cookies from this host's. */
const inside = 'inside.';

export function forwardedCookies(header: string): string {
  const cookies = header.split(';').map((cookie) => cookie.trim());
  return cookies.flatMap((cookie) => (cookie.startsWith(inside) ? [cookie.slice(inside.length)] : [])).join('; ');
}

export interface ProxyMount {
  readonly host: string;
  readonly path: string;
  /** Prefix of every path; ends in a slash. */
  readonly prefix: string;
}

/** Rewrites reply headers: redirects and cookies stay below `prefix`, and pages get an opaque origin. */
export function rewriteReplyHeaders(headers: IncomingHttpHeaders, place: ProxyMount): IncomingHttpHeaders {
  const { location, 'set-cookie': cookies, 'content-security-policy': policy, ...rest } = headers;
  const allowedHeaders = Object.entries(rest).filter(([name]) => !hostWide.has(name) && !ofSharing.test(name));
  return {
    ...Object.fromEntries(allowedHeaders),
    ...(location !== undefined && { location: below(location, place) }),
    ...(cookies && { 'set-cookie': cookies.map((cookie) => bound(cookie, place)) }),
    // Multiple policies all apply.
    'content-security-policy': policy === undefined ? sandboxed : [policy, sandboxed].flat().join(', '),
    // A page's address may be a secret link.
    'referrer-policy': 'no-referrer',
  };
}

function below(location: string, { host, path, prefix }: ProxyMount): string {
  const base = `http://${host}${path}`;
  if (!URL.canParse(location, base)) return location;
  const url = new URL(location, base);
  const { port } = new URL(base);
  const isOwn = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname) && url.port === port;
  return isOwn ? `${prefix}${url.pathname.slice(1)}${url.search}${url.hash}` : location;
}

function bound(cookie: string, { prefix }: ProxyMount): string {
  const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim());
  const path = attributes.find((attribute) => /^path=\//i.test(attribute))?.slice('path=/'.length) ?? '';
  const otherAttributes = attributes.filter((attribute) => !/^(path|domain)\b/i.test(attribute));
  return [`${inside}${pair}`, ...otherAttributes, `Path=${prefix}${path}`].join('; ');
}
