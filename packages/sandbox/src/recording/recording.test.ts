import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { findFfmpeg } from './ffmpeg.js';
import { Sandbox } from '../lease/sandbox.js';
import type { SandboxSession } from '../lease/sandboxSession.js';
import { browserOf } from '../lease/session.js';
import { killWithin } from '../isolation/browser/killWithin.test.support.js';

const isolated = (await probeIsolation()).kind !== 'none';
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
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
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

async function started(): Promise<SandboxSession> {
  const session = await sandbox.lease({ kind: 'browser', size });
  await browserOf(session).open(page);
  return session;
}

async function play(target: SandboxSession): Promise<void> {
  for (let turn = 0; turn < 6; turn++) {
    await target.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

interface Probed {
  readonly streams: { codec_name: string; width: number; height: number; nb_read_frames: string }[];
  readonly format: { duration?: string };
}

function probe(path: string): Probed & { frames: number } {
  const show = ['-count_frames', '-show_entries', 'stream=codec_name,width,height,nb_read_frames:format=duration'];
  const probed = JSON.parse(
    execFileSync('ffprobe', ['-v', 'error', ...show, '-of', 'json', path], { encoding: 'utf8' }),
  ) as Probed;
  return { ...probed, frames: Number(probed.streams[0]?.nb_read_frames) };
}

describe.skipIf(!isThere)(`a recording${why}`, () => {
  beforeAll(async () => {
    session = await started();
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
    expect(streams).toMatchObject([{ codec_name: codec, width: 162, height: 122 }]);
    expect(frames).toBeGreaterThan(4);
    // Wall-clock time.
    expect(Math.abs(Number(format.duration) * 10 - frames)).toBeLessThan(2);
    expect(await recording.ended).toBeUndefined();
    expect(session.state).toBe('leased');
  });

  it('of a session whose browser dies can be played up to there', async () => {
    const path = join(folder, 'dead.mp4');
    const dying = await started();
    const recording = await dying.record({ path });
    await play(dying);
    await killWithin(dying, 'user-data-dir');
    await dying.broken;
    expect(await recording.ended).toBeUndefined();
    expect(probe(path).frames).toBeGreaterThan(2);
    await expect(dying.record({ path })).rejects.toMatchObject({ code: 'infra' });
    await dying.release();
  });

  it('whose ffmpeg dies says so, can be played up to there, and harms nobody', async () => {
    const path = join(folder, 'killed.mp4');
    const recording = await session.record({ path });
    do await play(session);
    while ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < 5_000);
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

  it('is refused for invalid options', async () => {
    for (const [field, options] of [
      ['path', { path: '/tmp/video.avi' }],
      ['path', { path: '/nowhere/video.mp4' }],
      ['fps', { path: '/tmp/video.mp4', fps: 0 }],
      ['maxBytes', { path: '/tmp/video.mp4', maxBytes: -1 }],
    ] as const) {
      await expect(session.record(options)).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
    }
  });
});

it('without ffmpeg says what to install', () => {
  expect(() => findFfmpeg({ PATH: folder })).toThrow(
    expect.objectContaining({ code: 'missing', detail: { field: 'ffmpeg', fix: 'run `apt-get install ffmpeg`' } }),
  );
});
