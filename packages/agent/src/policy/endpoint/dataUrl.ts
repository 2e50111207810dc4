/** Decodes a `data:` URL; undefined for others. */
export function imageBytes(url: string): Buffer | undefined {
  const [head] = /^data:image\/[\w.+-]+;base64,/.exec(url) ?? [];
  return head === undefined ? undefined : Buffer.from(url.slice(head.length), 'base64');
}
