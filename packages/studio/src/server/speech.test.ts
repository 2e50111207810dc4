import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Lake } from '@gyre/lake';
import { GyreError } from '@gyre/protocol';
import fc from 'fast-check';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { transcriptionServer } from '../speech/double/transcriptionServer.js';
import { transcribeLake } from '../speech/transcribeLake.js';
import { openaiTranscriber } from '../speech/transcriber.js';
import { joinWebm, readWebm } from '../speech/webm.js';
import { aBrowserThatHears, onsetsIn } from './microphone.test.fixture.js';
import { aRun, aStudio } from './studio.test.fixture.js';

const browser = aBrowserThatHears();
let webm: Uint8Array;
/** About two seconds of beeps, as a browser records them. */
beforeAll(async () => {
  const page = await browser.get().newPage();
  await page.route('http://127.0.0.1:9/', (route) => route.fulfill({ body: '<p>', contentType: 'text/html' }));
  await page.goto('http://127.0.0.1:9/');
  const base64 = await page.evaluate<string>(`(async () => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const recorder = new MediaRecorder(stream, { mimeType: 'audio/webm;codecs=opus' });
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.start(500);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await new Promise((resolve) => { recorder.onstop = resolve; recorder.stop(); });
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  })()`);
  webm = Buffer.from(base64, 'base64');
}, 30_000);

test('parts of recordings have the same sound at the same time, also joined', async () => {
  const page = await browser.get().newPage();
  onTestFinished(() => page.close());
  const audio = readWebm(webm);
  expect(audio.durationMs).toBeGreaterThan(1_500);
  const whole = await onsetsIn(page, webm);
  const [fromMs, toMs] = [420, 1_380];
  const part = joinWebm([{ audio, fromMs, toMs }])!;
  const packetMs = audio.packets[1]!.ms - audio.packets[0]!.ms;
  const start = Math.floor(fromMs / packetMs) * packetMs;
  const expected = whole.filter((ms) => ms >= start + 20 && ms < toMs - 20).map((ms) => ms - start);
  const onsets = (await onsetsIn(page, part)).filter((ms) => ms > 20 && ms < toMs - start - 20);
  expect(onsets.map((ms) => Math.round(ms / 20))).toEqual(expected.map((ms) => Math.round(ms / 20)));
  const twice = readWebm(
    joinWebm([
      { audio, fromMs, toMs },
      { audio, fromMs, toMs },
    ])!,
  );
  expect(twice.durationMs).toBeCloseTo(2 * readWebm(part).durationMs);
  expect(joinWebm([{ audio, fromMs: 1e6, toMs: 2e6 }])).toBe(undefined);
});

test('no bytes break the reader, and an incomplete recording is read as far as it goes', () => {
  const read = (bytes: Uint8Array): number => {
    try {
      return readWebm(bytes).packets.length;
    } catch (error) {
      expect(error).toMatchObject({ code: 'bad_input', detail: { field: 'audio' } });
      expect(error).toBeInstanceOf(GyreError);
      return 0;
    }
  };
  const packets = read(webm);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => read(bytes) <= bytes.length));
  fc.assert(fc.property(fc.nat(webm.length), (length) => read(webm.slice(0, length)) <= packets));
  const change = fc.record({ offset: fc.nat(webm.length - 1), to: fc.nat(255) });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
      const bytes = Uint8Array.from(webm);
      for (const { offset, to } of changes) bytes[offset] = to;
      expect(read(bytes)).toBeLessThanOrEqual(webm.length);
    }),
  );
  expect(read(webm.slice(0, webm.length - 1))).toBeGreaterThan(packets - 3);
});

async function aSpeaker() {
  const { root, lake, episodes } = await aRun(['click/train/1']);
  const { id } = episodes[0]!;
  const { url, token } = await aStudio(root);
  const send = (path: string, body?: Uint8Array | object, type?: string): Promise<Response> => {
    const isBytes = body instanceof Uint8Array;
    return fetch(`${url}/api/runs/mine/${path}`, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': type ?? (isBytes ? 'audio/webm' : 'application/json') }),
      },
      ...(body && { method: 'POST', body: isBytes ? Buffer.from(body) : JSON.stringify(body) }),
    });
  };
  const recording = 'b3b1b0a0-1111-4222-8333-444455556666';
  const startedAt = new Date().toISOString();
  const chunk = (number: number, bytes: Uint8Array, more: { episode?: string; name?: string; by?: string } = {}) =>
    send(
      `speech/${more.episode ?? id}/recordings/${more.name ?? recording}/chunks/${number}?by=${more.by ?? 'ann'}&at=${startedAt}`,
      bytes,
    );
  const end = (count: number) => send(`speech/${id}/recordings/${recording}/end`, { count });
  return { root, lake, id, url, send, chunk, end, startedAt, folder: join(root, 'mine', 'recordings'), recording };
}

test('chunks may come again, must all come, and are one recording bit by bit', async () => {
  const { lake, chunk, end, id, send, startedAt } = await aSpeaker();
  const parts = [webm.slice(0, 700), webm.slice(700, 9_000), webm.slice(9_000)];
  for (const number of [0, 1, 1]) expect((await chunk(number, parts[number]!)).status).toBe(200);
  const early = await end(3);
  expect([early.status, await early.json()]).toMatchObject([400, { error: { message: 'chunk 2 of 3 is missing' } }]);
  await chunk(2, parts[2]!);
  const entry = (await (await end(3)).json()) as { hash: string };
  expect(entry).toMatchObject({ type: 'recording', episode: id, by: 'ann', at: startedAt });
  expect(await (await end(3)).json()).toEqual({});
  expect(Buffer.compare(await lake.audio(entry.hash), webm)).toBe(0);
  const whole = await send(`audio/${entry.hash}`);
  expect(whole.headers.get('content-type')).toBe('audio/webm');
  expect(Buffer.compare(Buffer.from(await whole.arrayBuffer()), webm)).toBe(0);
  const part = await send(`audio/${entry.hash}?fromMs=500&toMs=900`);
  expect(readWebm(new Uint8Array(await part.arrayBuffer())).durationMs).toBeLessThan(600);
  expect((await send(`audio/${'c'.repeat(64)}`)).status).toBe(404);
  const answer = await send(`speech/${id}/transcribe`, {});
  expect(await answer.json()).toMatchObject({ error: { code: 'missing' } });
});

test('bad requests are refused with the field', async () => {
  const { chunk, send, id, url, end } = await aSpeaker();
  expect((await chunk(0, webm, { episode: 'nobody' })).status).toBe(404);
  for (const answer of [
    await chunk(0, webm, { name: '..%2f..' }),
    await chunk(1, webm),
    await chunk(0, webm, { by: '' }),
    await send(`speech/${id}/turns/7`, { text: 'x', by: 'ann' }),
    await send(`audio/${'c'.repeat(64)}?fromMs=-1`),
    await send('play', { task: 'nonsense/train/0', by: 'ann' }),
    await send(`episodes/${id}/play`, { turn: 7, by: 'ann' }),
  ])
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'bad_input' } }]);
  expect((await chunk(0, new Uint8Array(2 ** 20 + 1))).status).toBe(413);
  expect((await fetch(`${url}/api/runs/mine/speech/${id}`)).status).toBe(401);
  await chunk(0, new TextEncoder().encode('no sound'));
  const damaged = await end(1);
  expect(await damaged.json()).toMatchObject({
    error: { message: expect.stringMatching(/is damaged: it is not a recording/) },
  });
});

test('what a page or a server did not end is kept, and is transcribed later', async () => {
  const { lake, id, chunk, folder, recording, root } = await aSpeaker();
  await chunk(0, webm.slice(0, 9_000));
  const long = new Date(Date.now() - 120_000);
  await utimes(join(folder, recording), long, long);
  await mkdir(join(folder, 'nonsense'));
  await writeFile(join(folder, 'nonsense', '000000.part'), 'x');
  await utimes(join(folder, 'nonsense'), long, long);
  const double = await transcriptionServer(() => ({ text: 'heard' }));
  onTestFinished(() => double.close());
  const transcriber = openaiTranscriber({ url: double.url, model: 'tiny' });
  const offline = await Lake.open(lake.directory);
  onTestFinished(() => offline.close());
  const { signal } = new AbortController();
  expect(await transcribeLake(join(root, 'mine'), offline, transcriber, signal)).toEqual({
    transcribed: 0,
    known: 0,
    failed: [],
  });
  const [entry] = (await offline.speech()).get(id)!;
  expect(entry).toMatchObject({ type: 'recording', by: 'ann' });
  expect(await readdir(folder)).toEqual(['nonsense.damaged']);
});
