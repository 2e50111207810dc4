/** What a request may not go further with; the connection's own (RFC 9110, 7.6.1). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
];

/** Headers that a proxy passes on: all but the connection's own, and those that the connection names as its own. */
export function endToEnd(headers: NodeJS.Dict<string | string[]>): NodeJS.Dict<string | string[]> {
  const named = String(headers['connection'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
  const kept = Object.entries(headers).filter(([name]) => !hopByHop.includes(name) && !named.includes(name));
  return Object.fromEntries(kept);
}
