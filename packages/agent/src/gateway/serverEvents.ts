import { createParser } from 'eventsource-parser';

export interface ServerEvent {
  /** Undefined for a comment. */
  readonly data: string | undefined;
  /** With its terminating empty line. */
  readonly text: string;
}

/** Drops an unfinished event at the end. */
export async function* eventsOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  let ready: ServerEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      const fields = [
        ...(id === undefined ? [] : [`id: ${id}`]),
        ...(event === undefined ? [] : [`event: ${event}`]),
        ...data.split('\n').map((line) => `data: ${line}`),
      ];
      ready.push({ data, text: `${fields.join('\n')}\n\n` });
    },
    onComment: (comment) => ready.push({ data: undefined, text: `: ${comment}\n\n` }),
    onRetry: (ms) => ready.push({ data: undefined, text: `retry: ${ms}\n\n` }),
  });
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* ready;
    ready = [];
  }
}
