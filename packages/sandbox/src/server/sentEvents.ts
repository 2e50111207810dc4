import { GyreError } from '@gyre/protocol';

/** Characters of one event that a server may send. */
const longest = 2 ** 20;

/** The data of server-sent events, as they come. Throws `infra` for one that does not end. */
export async function* sentEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    if (rest.length > longest)
      throw new GyreError('infra', 'the server sends an event that does not end', { part: 'remote' });
    for (const block of blocks) {
      const data = block.split('\n').flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? []);
      if (data.length > 0) yield data.join('\n');
    }
  }
}
