import { GyreError } from '@gyre/protocol';

/** Characters of one event that a server may send. */
const longest = 2 ** 20;

/** The data of server-sent events, as they come. Throws `infra` for one that does not end. */
export async function* sentEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  // Pieces of the line that has not ended, so that none is joined more than once.
  let line: string[] = [];
  let data: string[] = [];
  let characters = 0;
  for await (const bytes of body) {
    const [first = '', ...rest] = decoder.decode(bytes, { stream: true }).split('\n');
    line.push(first);
    characters += first.length;
    for (const next of rest) {
      const whole = line.join('');
      line = [next];
      characters += next.length;
      if (whole.startsWith('data:')) data.push(whole.slice(whole.startsWith('data: ') ? 6 : 5));
      if (whole !== '') continue;
      if (data.length > 0) yield data.join('\n');
      data = [];
      characters = next.length;
    }
    if (characters > longest) {
      throw new GyreError('infra', 'the server sends an event that does not end', { part: 'remote' });
    }
  }
}
