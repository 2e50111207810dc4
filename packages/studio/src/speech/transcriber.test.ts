import { GyreError } from '@gyre/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { type TranscriptionRequest, transcriptionServer } from './double/transcriptionServer.js';
import { openaiTranscriber } from './transcriber.js';

const sound = new Uint8Array([0x1a, 0x45, 0xdf, 0xa3, 0, 255]);

async function aServer(answer: Parameters<typeof transcriptionServer>[0]) {
  const server = await transcriptionServer(answer);
  onTestFinished(() => server.close());
  return server;
}

test('sends the sound bit by bit with model and key, and returns the text', async () => {
  const server = await aServer(() => ({ text: ' Open the menu.\n' }));
  const transcriber = openaiTranscriber({ url: `${server.url}/`, model: 'tiny', apiKey: 'secret' });
  expect(await transcriber.transcribe(sound)).toBe('Open the menu.');
  const expected: TranscriptionRequest = {
    ...{ authorization: 'Bearer secret', model: 'tiny', format: 'json', fileName: 'speech.webm', audio: sound },
  };
  expect(server.requests).toEqual([expected]);
});

test.each<[string, { status?: number; body: string }, RegExp]>([
  ['an error', { status: 503, body: '{"error":{"message":"loading"}}' }, /HTTP 503: loading/],
  ['an error in plain text', { status: 500, body: 'oops' }, /HTTP 500: oops/],
  ['no JSON', { body: '<html>' }, /the answer has no text: <html>/],
  ['another shape', { body: '{"result":"x"}' }, /the answer has no text/],
  ['text that is no string', { body: '{"text":7}' }, /the answer has no text/],
])('%s is one clear error', async (_, answer, message) => {
  const server = await aServer(() => answer);
  const refused = openaiTranscriber({ url: server.url, model: 'tiny' }).transcribe(sound);
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.toMatchObject({
    code: 'infra',
    detail: { part: 'model_server', field: '--transcribe' },
  });
});

test('silence and a missing server are errors, and stopping ends the wait', async () => {
  const server = await aServer(() => 'silence');
  const { url } = server;
  const slow = openaiTranscriber({ url, model: 'tiny', timeoutMs: 200 });
  await expect(slow.transcribe(sound)).rejects.toThrow('no answer within 0.2 s');
  const stop = AbortSignal.timeout(100);
  await expect(openaiTranscriber({ url, model: 'tiny' }).transcribe(sound, stop)).rejects.toBeInstanceOf(GyreError);
  await server.close();
  await expect(slow.transcribe(sound)).rejects.toThrow(/transcriptions failed: \w/);
});
