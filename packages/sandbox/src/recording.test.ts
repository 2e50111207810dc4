import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { probeIsolation } from './enclosure/createEnclosure.js';
import { findFfmpeg } from './ffmpeg.js';
import { Sandbox, type SandboxSession } from './sandbox.js';
import { serveSandbox, type SandboxServer } from './server/server.js';
import { Tokens } from './server/tokens.js';
import { browserOf } from './session.js';

const walled = (await probeIsolation()).kind !== 'none';
const size = { width: 161, height: 121 };

const isThere = (() => {
  try {
    return findFfmpeg() !== '';
  } catch {
    return false;
  }
})();
const why = isThere ? '' : ' (ffmpeg is missing)';

let sandbox: Sandbox;
let session: SandboxSession;
let folder: string;
beforeAll(async () => {
  sandbox = await Sandbox.start(walled ? {} : { isolation: 'none' });
  folder = await mkdtemp(join(tmpdir(), 'gyre-recording-'));
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

const page = {
  html: '<body style="background:gold"><script>onclick = () => document.body.append("x ")</script>',
  seed: 1,
};

/** Acts until there has been something to be seen for a while. */
async function play(of: SandboxSession): Promise<void> {
  for (let turn = 0; turn < 8; turn++) {
    await of.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
}

interface Probed {
  readonly streams: { codec_name: string; width: number; height: number; nb_read_frames: string }[];
  readonly format: { duration?: string };
}

/** What a player finds in a file. */
function probe(path: string): Probed & { frames: number } {
  const show = ['-count_frames', '-show_entries', 'stream=codec_name,width,height,nb_read_frames:format=duration'];
  const probed = JSON.parse(
    execFileSync('ffprobe', ['-v', 'error', ...show, '-of', 'json', path], { encoding: 'utf8' }),
  ) as Probed;
  return { ...probed, frames: Number(probed.streams[0]?.nb_read_frames) };
}

describe.skipIf(!isThere)(`a recording${why}`, () => {
  beforeEach(async () => {
    session = await sandbox.lease({ kind: 'browser', size });
    await browserOf(session).open(page);
    return () => session.release();
  });

  it.each([
    ['mp4', 'h264'],
    ['webm', 'vp8'],
  ])('is a video: %s', async (ending, codec) => {
    const path = join(folder, `whole.${ending}`);
    const recording = await session.record({ path, fps: 10 });
    await play(session);
    await Promise.all([recording.stop(), recording.stop()]);
    const { streams, format, frames } = probe(path);
    // Encoders want even sides.
    expect(streams).toMatchObject([{ codec_name: codec, width: 162, height: 122 }]);
    expect(frames).toBeGreaterThan(5);
    // By the clock, not by the number of changes.
    expect(Math.abs(Number(format.duration) * 10 - frames)).toBeLessThan(2);
    expect(await recording.ended).toBeUndefined();
    expect(session.state).toBe('leased');
  });

  it('of a session whose browser dies can be played up to there', async () => {
    const path = join(folder, 'dead.mp4');
    const recording = await session.record({ path });
    await play(session);
    await session.shell.run('pkill -9 -f chromium || pkill -9 -f headless');
    await session.broken;
    expect(await recording.ended).toBeUndefined();
    expect(probe(path).frames).toBeGreaterThan(2);
    await expect(session.record({ path })).rejects.toMatchObject({ code: 'infra' });
  });

  it('whose ffmpeg dies says so, can be played up to there, and harms nobody', async () => {
    const path = join(folder, 'killed.mp4');
    const recording = await session.record({ path });
    await play(session);
    await play(session);
    process.kill(Number(execFileSync('pgrep', ['-f', `file:${path}`], { encoding: 'utf8' })), 'SIGKILL');
    const reason = await recording.ended;
    expect(reason).toMatchObject({ code: 'infra', message: expect.stringContaining('SIGKILL') as string });
    await expect(recording.stop()).rejects.toBe(reason);
    expect(probe(path).frames).toBeGreaterThan(2);
    await play(session);
    expect(session.state).toBe('leased');
  });

  it('on a full disk says so, and harms nobody', async () => {
    const path = join(folder, 'full.mp4');
    await symlink('/dev/full', path);
    const recording = await session.record({ path });
    await play(session);
    expect(await recording.ended).toMatchObject({ code: 'storage', detail: { field: 'path' } });
    expect(session.state).toBe('leased');
  });

  it.each([
    ['path', { path: '/tmp/video.avi' }],
    ['path', { path: '/nowhere/video.mp4' }],
    ['fps', { path: '/tmp/video.mp4', fps: 0 }],
    ['mostBytes', { path: '/tmp/video.mp4', mostBytes: -1 }],
  ])('is refused for its %s', async (field, options) => {
    await expect(session.record(options)).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
  });
});

it('without ffmpeg says what to install', () => {
  expect(() => findFfmpeg({ PATH: folder })).toThrow(
    expect.objectContaining({ code: 'missing', detail: { field: 'ffmpeg', fix: 'run `apt-get install ffmpeg`' } }),
  );
});

describe.skipIf(!isThere)(`recordings over HTTP${why}`, () => {
  const [mine, theirs, watcher] = [Tokens.random(), Tokens.random(), Tokens.random()];
  let server: SandboxServer;
  beforeAll(async () => {
    server = await serveSandbox({
      sandbox,
      tokens: [
        { token: mine, scope: 'operate' },
        { token: theirs, scope: 'operate' },
        { token: watcher, scope: 'watch' },
      ],
    });
  });
  afterAll(() => server.close());

  const ask = (token: string, method: string, path: string, body?: unknown) =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  it('are begun, stopped and fetched by who has leased the session, also after it', async () => {
    const leased = (await (await ask(mine, 'POST', '/v1/sessions', { kind: 'browser', size })).json()) as {
      id: string;
    };
    const at = `/v1/sessions/${leased.id}/recordings`;
    for (const token of [watcher, theirs]) expect([403, 404]).toContain((await ask(token, 'POST', at, {})).status);
    expect((await ask(mine, 'POST', at, { format: 'gif' })).status).toBe(400);
    const begun = await ask(mine, 'POST', at, { format: 'webm' });
    expect(begun.status).toBe(201);
    const { id } = (await begun.json()) as { id: string };
    await play(sandbox.sessions.find((one) => one.id === leased.id)!);
    const stopped = await ask(mine, 'POST', `${at}/${id}/stop`);
    expect(await stopped.json()).toMatchObject({ id, state: 'done', format: 'webm', fps: 10 });
    expect((await ask(mine, 'DELETE', `/v1/sessions/${leased.id}`)).status).toBe(204);
    const fetched = await ask(mine, 'GET', `${at}/${id}`);
    expect(fetched.headers.get('content-type')).toBe('video/webm');
    // The first bytes of every Matroska file.
    expect(Buffer.from(await fetched.arrayBuffer()).readUInt32BE(0)).toBe(0x1a45dfa3);
    expect(await (await ask(mine, 'GET', at)).json()).toMatchObject([{ id, state: 'done' }]);
    expect(await (await ask(theirs, 'GET', at)).json()).toEqual([]);
    expect((await ask(theirs, 'GET', `${at}/${id}`)).status).toBe(404);
    expect((await ask(mine, 'DELETE', `${at}/${id}`)).status).toBe(204);
    expect((await ask(mine, 'GET', `${at}/${id}`)).status).toBe(404);
  });
});
