/** The bytes of an image that stands in a `data:` URL; undefined for an address of any other kind. */
export function imageBytes(url: string): Buffer | undefined {
  const [head] = /^data:image\/[\w.+-]+;base64,/.exec(url) ?? [];
  return head === undefined ? undefined : Buffer.from(url.slice(head.length), 'base64');
}
