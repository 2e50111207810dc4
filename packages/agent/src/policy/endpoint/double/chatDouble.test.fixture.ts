import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ChatBody extends Record<string, unknown> {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

export interface ChatReply {
  readonly status?: number;
  readonly type?: string;
  readonly body: unknown;
}

export async function chatDouble(script: (body: ChatBody, number: number) => ChatReply) {
  const requests: ChatBody[] = [];
  const server = createServer((request, response) => {
    void text(request).then((json) => {
      const body = JSON.parse(json) as ChatBody;
      const { status = 200, type = 'application/json', body: answer } = script(body, requests.push(body) - 1);
      response.writeHead(status, { 'content-type': type });
      response.end(typeof answer === 'string' || answer instanceof Uint8Array ? answer : JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const completion = (content: unknown, message: object = {}, choice: object = {}): ChatReply => ({
  body: {
    ...{ id: 'x', object: 'chat.completion', created: 1, model: 'double' },
    choices: [{ index: 0, message: { role: 'assistant', content, ...message }, finish_reason: 'stop', ...choice }],
    usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
  },
});

export const refusal = (message: string, status = 400): ChatReply => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
});

export const imagesIn = ({ messages }: ChatBody): number => JSON.stringify(messages).split('"image_url":{').length - 1;
