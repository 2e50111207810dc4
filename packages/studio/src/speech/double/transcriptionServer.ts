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
      const reaction = answer(request);
      if (reaction === 'silence') return;
      if ('text' in reaction)
        reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reaction));
      else reply.writeHead(reaction.status ?? 200, { 'content-type': 'text/plain' }).end(reaction.body);
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
  const [, boundary] = /boundary=(\S+)/.exec(message.headers['content-type'] ?? '') ?? [];
  const body = (await buffer(message)).toString('latin1');
  const fields = new Map<string, { readonly fileName: string | undefined; readonly content: string }>();
  for (const part of body.split(`--${boundary}`).slice(1, -1)) {
    const end = part.indexOf('\r\n\r\n');
    const [, name = ''] = / name="([^"]*)"/.exec(part.slice(0, end)) ?? [];
    const [, fileName] = / filename="([^"]*)"/.exec(part.slice(0, end)) ?? [];
    fields.set(name, { fileName, content: part.slice(end + 4, -2) });
  }
  const [file, model, format] = [fields.get('file'), fields.get('model'), fields.get('response_format')];
  if (file?.fileName === undefined || !model) throw new Error('incomplete');
  return {
    ...{ authorization: message.headers.authorization, model: model.content, format: format?.content ?? 'json' },
    ...{ fileName: file.fileName, audio: new Uint8Array(Buffer.from(file.content, 'latin1')) },
  };
}
