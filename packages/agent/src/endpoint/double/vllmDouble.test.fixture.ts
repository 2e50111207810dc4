import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** What the double answers to a request, by its number from 0. */
export type Script = (request: { messages: { role: string; content: unknown }[] }, number: number) => Answer;
/** A turn; a failure; nothing, with the connection open or closed; or the head of an answer and then nothing, in the same two ways. */
export type Answer =
  | { text: string; drift?: boolean; finish?: 'stop' | 'length' }
  | { status: number; message: string }
  | 'hang'
  | 'cut'
  | 'head, then hang'
  | 'head, then cut';

/**
 * A double of vLLM's chat completions with `return_token_ids` (no model: a script answers). One token is one byte of a message's
 * JSON; a prompt's ids hold what was sampled as it was sampled, unless the script lets it drift. The fields are those of vLLM's
 * documentation; no vLLM was run.
 */
export async function vllmDouble(
  script: Script,
): Promise<{ url: string; requests: unknown[]; close(): Promise<void> }> {
  const requests: unknown[] = [];
  let before: number[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = JSON.parse(await textOf(request)) as Parameters<Script>[0];
      const number = requests.push(body) - 1;
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
      response.end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 0,
          model: 'double',
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: answer.text },
              finish_reason: answer.finish ?? 'stop',
              token_ids: ids,
              logprobs: { content: ids.map(() => ({ token: 'x', logprob: -0.5, bytes: null, top_logprobs: [] })) },
            },
          ],
          prompt_token_ids: promptIds,
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
