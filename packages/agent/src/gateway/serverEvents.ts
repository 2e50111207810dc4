/** An event of a stream of server-sent events. */
export interface ServerEvent {
  /** What its `data:` lines hold; undefined for a comment. */
  readonly data: string | undefined;
  /** As it came, with the empty line that ends it. */
  readonly raw: string;
}

/**
 * The events of a stream (WHATWG HTML, 9.2.6), one by one as they become whole. What stands behind the last empty line is not.
 * Throws what the stream throws.
 */
export async function* eventsOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    for (;;) {
      // A carriage return at the end may be half a line break.
      const end = /(?:\r\n|\n|\r(?!\n|$)){2}/.exec(text);
      if (!end) break;
      const raw = text.slice(0, end.index + end[0].length);
      text = text.slice(raw.length);
      yield { data: dataOf(raw), raw };
    }
  }
}

function dataOf(raw: string): string | undefined {
  const lines = raw.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? undefined : lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n');
}
