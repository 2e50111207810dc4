import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxClient } from '../client/client.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { findFfmpeg } from '../recording/ffmpeg.js';
import { Sandbox } from '../lease/sandbox.js';
import { serveSandbox, type SandboxServer } from './server.js';
import { AccessTokens } from './tokens.js';

const isolated = (await probeIsolation()).kind !== 'none';
const size = { width: 160, height: 120 };
const isThere = (() => {
  try {
    return findFfmpeg() !== '';
  } catch {
    return false;
  }
})();

describe.skipIf(!isThere)(`recordings over HTTP${isThere ? '' : ' (ffmpeg is missing)'}`, () => {
  const [mine, theirs, watcher] = [AccessTokens.random(), AccessTokens.random(), AccessTokens.random()];
  let sandbox: Sandbox;
  let server: SandboxServer;
  let folder: string;
  beforeAll(async () => {
    sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
    folder = await mkdtemp(join(tmpdir(), 'gyre-recordings-'));
    server = await serveSandbox({
      sandbox,
      tokens: [
        { token: mine, scope: 'operate' },
        { token: theirs, scope: 'operate' },
        { token: watcher, scope: 'watch' },
      ],
    });
  });
  afterAll(async () => {
    await server.close();
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (token: string, method: string, path: string, body?: unknown) =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });

  const seen = () => new Promise((resolve) => setTimeout(resolve, 300));

  it('are started, stopped and fetched by the leaser, also after the session', async () => {
    const leased = (await (await ask(mine, 'POST', '/v1/sessions', { kind: 'browser', size })).json()) as {
      id: string;
    };
    const recordingsPath = `/v1/sessions/${leased.id}/recordings`;
    for (const token of [watcher, theirs])
      expect([403, 404]).toContain((await ask(token, 'POST', recordingsPath, {})).status);
    expect((await ask(mine, 'POST', recordingsPath, { format: 'gif' })).status).toBe(400);
    const begun = await ask(mine, 'POST', recordingsPath, { format: 'webm' });
    expect(begun.status).toBe(201);
    const { id } = (await begun.json()) as { id: string };
    await seen();
    const stopped = await ask(mine, 'POST', `${recordingsPath}/${id}/stop`);
    expect(await stopped.json()).toMatchObject({ id, state: 'done', format: 'webm', fps: 10 });
    expect((await ask(mine, 'DELETE', `/v1/sessions/${leased.id}`)).status).toBe(204);
    const fetched = await ask(mine, 'GET', `${recordingsPath}/${id}`);
    expect(fetched.headers.get('content-type')).toBe('video/webm');
    // Matroska.
    expect(Buffer.from(await fetched.arrayBuffer()).readUInt32BE(0)).toBe(0x1a45dfa3);
    expect(await (await ask(mine, 'GET', recordingsPath)).json()).toMatchObject([{ id, state: 'done' }]);
    expect(await (await ask(theirs, 'GET', recordingsPath)).json()).toEqual([]);
    expect((await ask(theirs, 'GET', `${recordingsPath}/${id}`)).status).toBe(404);
    expect((await ask(mine, 'DELETE', `${recordingsPath}/${id}`)).status).toBe(204);
    expect((await ask(mine, 'GET', `${recordingsPath}/${id}`)).status).toBe(404);
  });

  it('are written where the client is', async () => {
    const client = new SandboxClient({ url: server.url, token: mine });
    const elsewhere = await client.lease({ kind: 'browser', size });
    const path = join(folder, 'elsewhere.mp4');
    const recording = await elsewhere.record({ path, fps: 20 });
    await seen();
    await elsewhere.release();
    await recording.stop();
    // MP4.
    expect((await readFile(path)).subarray(4, 8).toString()).toBe('ftyp');
    await expect(elsewhere.record({ path: '/tmp/x.gif' })).rejects.toMatchObject({ code: 'bad_input' });
  });
});
