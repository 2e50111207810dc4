type Headers = NodeJS.Dict<string | string[]>;

/** RFC 9110, 7.6.1. */
const hopByHop: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
]);

export function endToEndHeaders(headers: Headers): Headers {
  const named = String(headers.connection ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
  const forwarded = Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.includes(name));
  return Object.fromEntries(forwarded);
}

/**
 * Keeps the body's framing even if `Connection` names it: without a length, the other side would read the body as the
 * next request.
 */
export function endToEndRequest(headers: Headers): Headers {
  const { 'content-length': _, ...forwarded } = endToEndHeaders(headers);
  if (headers['transfer-encoding'] !== undefined) return { ...forwarded, 'transfer-encoding': 'chunked' };
  const length = headers['content-length'];
  return length === undefined ? forwarded : { ...forwarded, 'content-length': length };
}
