import { afterEach } from 'vitest';
import { BigramEngine } from '../bigramEngine.test.fixture.js';
import { encodeRequest, type ForwardBackwardRequest } from '../wire.js';
import { serveTinker, type TinkerServerOptions } from './serveTinker.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

export async function serve(options: Partial<TinkerServerOptions> = {}) {
  const engine = new BigramEngine();
  const faults: unknown[] = [];
  const server = await serveTinker({ engine, onFault: (fault) => faults.push(fault), ...options });
  closing.push(() => server.close());
  const send = async (method: string, path: string, { body, headers }: Sent = {}) => {
    const isBinary = body instanceof Uint8Array;
    const answer = await fetch(`${server.url}/api/v1/${path}`, {
      method,
      headers: { 'content-type': isBinary ? 'application/x-protobuf' : 'application/json', ...headers },
      ...(body && { body: isBinary ? Buffer.from(body) : JSON.stringify(body) }),
    });
    const type = answer.headers.get('content-type');
    const bytes = Buffer.from(await answer.arrayBuffer());
    return {
      status: answer.status,
      type,
      bytes,
      json: (type?.includes('json') ? JSON.parse(bytes.toString()) : {}) as Json,
    };
  };
  const post = (path: string, body: object | Uint8Array, headers: Record<string, string> = {}) =>
    send('POST', path, { body, headers });
  const open = async () => (await post('create_session', {})).json.session_id ?? '';
  const create = async () => {
    const session = { session_id: await open(), model_seq_id: 0 };
    const { json } = await post('create_model', { ...session, base_model: 'bigram' });
    await post('retrieve_future', { request_id: json.request_id });
    return json.model_id ?? '';
  };
  const resultOf = async (path: string, body: object | Uint8Array) => {
    const { json } = await post(path, body);
    return post('retrieve_future', { request_id: json.request_id });
  };
  return { engine, server, send, post, open, create, resultOf, faults };
}

interface Sent {
  readonly body?: object | Uint8Array;
  readonly headers?: Record<string, string>;
}

type Json = Partial<
  Record<
    'session_id' | 'model_id' | 'sampling_session_id' | 'request_id' | 'detail' | 'error' | 'field' | 'path',
    string
  >
>;

export const requestOf = (modelId: string, changes: Partial<ForwardBackwardRequest> = {}) =>
  encodeRequest({
    modelId,
    seqId: 1,
    data: [
      {
        chunks: [{ tokens: [1, 2] }],
        inputs: new Map([
          ['target_tokens', { type: 'i64', values: [2, 3] }],
          ['weights', { type: 'f32', values: [1, 1] }],
        ]),
      },
    ],
    loss: 'cross_entropy',
    lossConfig: new Map(),
    forwardOnly: false,
    ...changes,
  });
