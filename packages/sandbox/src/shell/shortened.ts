export interface Shortened {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * Shortens a text to its first and last `cap / 2` characters, cut between code points, with a bracketed line for
 * omitted lines. `tail` follows a gap after `head`; `lines` is then the total.
 */
export function shortenText({
  head,
  tail,
  lines,
  cap,
}: {
  head: string;
  tail?: string;
  lines?: number;
  cap: number;
}): Shortened {
  if (tail === undefined && head.length <= cap) return { text: head, truncated: false };
  const half = Math.ceil(cap / 2);
  const first = head.slice(0, boundary(head, Math.min(half, head.length)));
  const end = tail ?? head;
  const last = end.slice(boundary(end, Math.max(0, end.length - Math.floor(cap / 2))));
  const total = lines ?? count(head);
  const omitted = Math.max(1, total - count(first) - count(last));
  return { text: joinWithGap(first, `${omitted} line${omitted === 1 ? '' : 's'}`, last), truncated: true };
}

export function joinWithGap(first: string, what: string, last: string): string {
  return `${first}${first === '' || first.endsWith('\n') ? '' : '\n'}[… ${what} left out …]\n${last}`;
}

const count = (text: string): number => text.split('\n').length - 1;

/** Never splits a surrogate pair. */
function boundary(text: string, index: number): number {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  const parts = before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
  return parts ? index - 1 : index;
}
