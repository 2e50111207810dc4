import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface TranscriptionRequest {
  readonly authorization: string | undefined;
  readonly model: string;
  readonly format: string;
  readonly fileName: string;
  readonly audio: Uint8Array;
}

type Answer = { readonly text: string } | { readonly status?: number; readonly body: string } | 'silence';

/**
 * A double of a server for speech recognition: `POST /v1/audio/transcriptions` with a multipart form, as OpenAI's, vLLM's and
 * whisper.cpp's. It hears nothing; the test says what it answers.
 */
export async function transcriptionServer(answer: (request: TranscriptionRequest) => Answer): Promise<{
  readonly url: string;
  readonly requests: TranscriptionRequest[];
  close(): Promise<void>;
}> {
  const requests: TranscriptionRequest[] = [];
  const server = createServer((message, reply) => {
    void (async () => {
      const refused = (status: number, text: string) =>
        reply
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: { message: text } }));
      if (message.method !== 'POST' || message.url !== '/v1/audio/transcriptions') return refused(404, 'not found');
      const request = await requestOf(message).catch(() => undefined);
      if (!request) return refused(400, 'file and model are required');
      requests.push(request);
      const said = answer(request);
      if (said === 'silence') return;
      if ('text' in said) reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
      else reply.writeHead(said.status ?? 200, { 'content-type': 'text/plain' }).end(said.body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}/v1`, requests },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function requestOf(message: IncomingMessage): Promise<TranscriptionRequest> {
  const body = new Uint8Array(await buffer(message));
  const headers = { 'content-type': message.headers['content-type'] ?? '' };
  const form = await new Response(body, { headers }).formData();
  const [file, model, format] = [form.get('file'), form.get('model'), form.get('response_format')];
  if (!(file instanceof File) || typeof model !== 'string') throw new Error('incomplete');
  return {
    ...{ authorization: message.headers.authorization, model, format: typeof format === 'string' ? format : 'json' },
    ...{ fileName: file.name, audio: new Uint8Array(await file.arrayBuffer()) },
  };
}
