import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly stream?: boolean;
  readonly logprobs?: boolean;
  readonly return_token_ids?: boolean;
}

/** What the double answers to a request, by its number from 0. */
export type Script = (request: Asked, number: number) => Answer;
/** A turn; a failure; nothing, with the connection open or closed; or the head of an answer and then nothing, in the same two ways. */
export type Answer = Said | { status: number; message: string } | 'hang' | 'cut' | 'head, then hang' | 'head, then cut';
interface Said {
  readonly text: string;
  readonly drift?: boolean;
  readonly finish?: 'stop' | 'length';
  /** Of a stream, the chunks that come before the connection dies. */
  readonly diesAfter?: number;
}

/** Bytes, and so tokens, of a chunk. */
const chunkLength = 5;

/**
 * A double of vLLM's chat completions with `return_token_ids` (no model: a script answers). One token is one byte of a message's
 * JSON; a prompt's ids hold what was sampled as it was sampled, unless the script lets it drift. The fields are those of vLLM's
 * documentation; no vLLM was run.
 */
export async function vllmDouble(script: Script): Promise<{
  url: string;
  requests: unknown[];
  headers: IncomingHttpHeaders[];
  left: number[];
  close(): Promise<void>;
}> {
  const requests: unknown[] = [];
  const headers: IncomingHttpHeaders[] = [];
  /** Requests whose client went away before the answer. */
  const left: number[] = [];
  let before: number[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url?.endsWith('/models')) {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ object: 'list', data: [{ id: 'double', object: 'model' }] }));
        return;
      }
      const body = JSON.parse(await textOf(request)) as Asked;
      const number = requests.push(body) - 1;
      headers.push(request.headers);
      response.once('close', () => response.writableFinished || left.push(number));
      const answer = script(body, number);
      if (answer === 'hang') return;
      if (answer === 'cut') return void request.socket.destroy();
      response.setHeader('content-type', 'application/json');
      if (answer === 'head, then hang') return void response.write('{"choices":');
      if (answer === 'head, then cut') {
        return void response.write('{"choices":', () => setTimeout(() => request.socket.destroy(), 20));
      }
      if ('status' in answer) {
        response.statusCode = answer.status;
        response.end(JSON.stringify({ error: { message: answer.message, type: 'x', code: answer.status } }));
        return;
      }
      const prompt = body.messages.flatMap(({ role, content }) => [
        ...Buffer.from(`${role}${JSON.stringify(content)}`),
      ]);
      const ids = [...Buffer.from(answer.text)];
      // As a chat template does, the assistant's text stands in the next prompt as it was sampled.
      const promptIds = answer.drift ? prompt.map((id) => id + 1) : joined(before, prompt);
      const cached = promptIds.findIndex((id, index) => id !== before[index]);
      before = [...promptIds, ...ids];
      const head = { id: 'chatcmpl-1', created: 0, model: 'double' };
      const logprobs = (of: readonly number[]) => ({
        logprobs: body.logprobs
          ? { content: of.map(() => ({ token: 'x', logprob: -0.5, bytes: null, top_logprobs: [] })) }
          : null,
      });
      const idsOf = (of: readonly number[]) => (body.return_token_ids ? { token_ids: of } : {});
      const promptIdsOf = body.return_token_ids ? { prompt_token_ids: promptIds } : {};
      if (body.stream) {
        const chunk = (delta: object, finish: string | null, of: readonly number[]) => ({
          ...head,
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta, finish_reason: finish, ...logprobs(of), ...idsOf(of) }],
        });
        const pieces = Array.from({ length: Math.ceil(ids.length / chunkLength) }, (_, index) =>
          ids.slice(index * chunkLength, (index + 1) * chunkLength),
        );
        const chunks = [
          { ...chunk({ role: 'assistant', content: '' }, null, []), ...promptIdsOf },
          ...pieces.map((piece) => chunk({ content: Buffer.from(piece).toString() }, null, piece)),
          chunk({}, answer.finish ?? 'stop', []),
        ];
        response.setHeader('content-type', 'text/event-stream; charset=utf-8');
        for (const each of chunks.slice(0, answer.diesAfter)) response.write(`data: ${JSON.stringify(each)}\n\n`);
        // Once it is on its way.
        if (answer.diesAfter === undefined) response.end('data: [DONE]\n\n');
        else setImmediate(() => request.socket.destroy());
        return;
      }
      response.end(
        JSON.stringify({
          ...head,
          object: 'chat.completion',
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: answer.text },
              finish_reason: answer.finish ?? 'stop',
              ...logprobs(ids),
              ...idsOf(ids),
            },
          ],
          ...promptIdsOf,
          usage: {
            prompt_tokens: promptIds.length,
            completion_tokens: ids.length,
            total_tokens: promptIds.length + ids.length,
            prompt_tokens_details: { cached_tokens: Math.max(0, cached) },
          },
        }),
      );
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    headers,
    left,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The prompt goes on from what was there, where it is longer. */
function joined(before: readonly number[], prompt: readonly number[]): number[] {
  return [...before, ...prompt.slice(before.length), ...(prompt.length > before.length ? [] : [10])];
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
