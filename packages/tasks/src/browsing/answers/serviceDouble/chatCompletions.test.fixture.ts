import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { model: string; messages: { role: string; content: string }[] };
}

/** A message, an HTTP error, a raw body, or none (null). */
export type Reply = string | { readonly status: number } | { readonly body: string } | null;

export class ChatCompletionsDouble {
  readonly requests: ReceivedRequest[] = [];
  #replies: Reply[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<ChatCompletionsDouble> {
    const double = new ChatCompletionsDouble();
    await new Promise<void>((resolve) => double.#server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  reply(...replies: Reply[]): void {
    this.requests.length = 0;
    this.#replies = replies;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { url = '', headers } = request;
    this.requests.push({
      path: url,
      authorization: headers.authorization,
      body: JSON.parse(text) as ReceivedRequest['body'],
    });
    const reply = this.#replies[Math.min(this.requests.length, this.#replies.length) - 1];
    if (reply === null || reply === undefined) return;
    if (typeof reply === 'object' && 'status' in reply) {
      response.writeHead(reply.status).end('{"error":{"message":"not now"}}');
      return;
    }
    const body =
      typeof reply === 'string' ? JSON.stringify({ choices: [{ message: { content: reply } }] }) : reply.body;
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }
}
