import { GyreError } from '@gyre/protocol';

const longest = 2 ** 20;

/** Throws `infra` for an endless event. */
export async function* readServerSentEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  // Pieces, so that long lines are joined once.
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
      throw new GyreError('infra', 'the server sent an event that is too long', { part: 'remote' });
    }
  }
}
