type Headers = NodeJS.Dict<string | string[]>;

/** What belongs to one connection and not to what is sent over it (RFC 9110, 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
]);

/** Returns the headers that a proxy passes on: all but the connection's own, and those that the connection names as its own. */
export function endToEndHeaders(headers: Headers): Headers {
  const named = String(headers.connection ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
  const kept = Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.includes(name));
  return Object.fromEntries(kept);
}

/**
 * Returns the headers that a proxy passes on with the body of a request, so that it ends there where it ended here. Whatever `Connection`
 * names, a body never goes on without its length: the other side would read it as the next request.
 */
export function endToEndRequest(headers: Headers): Headers {
  const { 'content-length': _, ...kept } = endToEndHeaders(headers);
  if (headers['transfer-encoding'] !== undefined) return { ...kept, 'transfer-encoding': 'chunked' };
  const length = headers['content-length'];
  return length === undefined ? kept : { ...kept, 'content-length': length };
}
