import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GyreError } from '@gyre/protocol';
import { missingForDesktop } from '../desktop/requirement.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { findFfmpeg } from '../recording/ffmpeg.js';
import { Sandbox } from '../lease/sandbox.js';
import type { SandboxSession } from '../lease/sandboxSession.js';
import { compatTerms, serveCompat } from './compatServer.js';

const isolated = (await probeIsolation()).kind !== 'none';
const without = missingForDesktop().map(({ debian }) => debian);
const records = (() => {
  try {
    return findFfmpeg() !== '';
  } catch {
    return false;
  }
})();

const possible = isolated && without.length === 0;

let sandbox: Sandbox;
let url: string;
let close: () => Promise<void>;
let leases = 0;
let refusal: GyreError | undefined;

async function lease(): Promise<SandboxSession> {
  if (refusal) throw refusal;
  leases++;
  return sandbox.lease({ kind: 'desktop', ...compatTerms.osworld, size: { width: 320, height: 240 } });
}

const json = { 'content-type': 'application/json' };

const post = (path: string, body?: unknown) =>
  fetch(url + path, { method: 'POST', ...(body !== undefined && { headers: json, body: JSON.stringify(body) }) });

async function execute(command: string | string[]): Promise<{ output: string; error: string; returncode: number }> {
  const answer = await post('/execute', { command, shell: true });
  return (await answer.json()) as { output: string; error: string; returncode: number };
}

async function upload(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<Response> {
  const body = new FormData();
  body.set('file_path', path);
  body.set('file_data', new Blob([bytes]), 'upload');
  return fetch(`${url}/setup/upload`, { method: 'POST', body });
}

const download = (path: string) =>
  fetch(`${url}/file`, { method: 'POST', body: new URLSearchParams({ file_path: path }) });

describe.skipIf(!possible)('a session as OSWorld’s tasks expect it', () => {
  beforeAll(async () => {
    sandbox = await Sandbox.start();
    const served = await serveCompat({ session: await lease(), renew: lease, protocol: 'osworld' });
    ({ url, close } = served);
  });
  afterAll(async () => {
    await close();
    await sandbox.close();
  });

  it('has the user and the home that tasks name, and its folders', async () => {
    const { output } = await execute('id -un; pwd; ls; xdg-user-dir DESKTOP 2>/dev/null || echo /home/user/Desktop');
    const folders = ['Desktop', 'Documents', 'Downloads', 'Music', 'Pictures', 'Public', 'Templates', 'Videos'];
    expect(output.trim().split('\n')).toEqual(['user', '/home/user', ...folders, '/home/user/Desktop']);
    expect(await (await post('/desktop_path')).json()).toEqual({ desktop_path: '/home/user/Desktop' });
  });

  it('starts programs without welcome dialogs', async () => {
    const { output } = await execute('cat ~/.config/vlc/vlcrc ~/.config/libreoffice/4/user/registrymodifications.xcu');
    expect(output).toContain('[qt]\nqt-privacy-ask=0\n');
    for (const name of ['ShowTipOfTheDay', 'FirstRun', 'AutoPilot'])
      expect(output).toContain(`<prop oor:name="${name}" oor:op="fuse"><value>false</value></prop>`);
  });

  it.each([
    '~/in.bin',
    '$HOME/Desktop/a b/in.bin',
    '/home/user/in.bin',
    '/tmp/in.bin',
    '/tmp/new/in.bin',
    '/dev/shm/x',
  ])('takes and gives the file %s', async (path) => {
    // More than sessions and shells return at once.
    const bytes = new Uint8Array(9 * 2 ** 20).map((_, index) => index % 251);
    expect(await (await upload(path, bytes)).text()).toBe(`File Uploaded: ${bytes.length} bytes`);
    const response = await download(path);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await upload(path, new Uint8Array([1]))).status).toBe(200);
    expect(new Uint8Array(await (await download(path)).arrayBuffer())).toEqual(new Uint8Array([1]));
  });

  it('returns files that its user can read, and refuses others with the reason', async () => {
    expect(await (await download('/etc/passwd')).text()).toContain('user:x:1000:1000:user:/home/user:/bin/bash');
    for (const path of ['/tmp/none', '/tmp', '/root/x', '/proc/1/environ']) {
      const refused = await download(path);
      expect([refused.status, await refused.json()], path).toEqual([404, { error: expect.stringContaining(path) }]);
    }
    const written = await upload('/usr/bin/x', new Uint8Array([1]));
    expect([written.status, await written.text()]).toEqual([400, expect.stringContaining('Read-only file system')]);
    await execute("mkdir -p '/tmp/list/a b' && touch '/tmp/list/a b/c' /tmp/list/d");
    const { directory_tree: tree } = (await (await post('/list_directory', { path: '/tmp/list' })).json()) as {
      directory_tree: { name: string; children: unknown[] };
    };
    expect(tree.name).toBe('list');
    expect(tree.children).toHaveLength(2);
    expect(tree.children).toContainEqual({
      type: 'directory',
      name: 'a b',
      children: [{ type: 'file', name: 'c' }],
    });
    expect((await post('/list_directory', { path: '/tmp/none' })).status).toBe(400);
  });

  it('has a sudo that runs commands as the user, and says so', async () => {
    const result = await execute('echo password | sudo -S mkdir -p /tmp/made && ls -d /tmp/made');
    expect(result).toEqual({
      status: 'success',
      output: '/tmp/made\n',
      error: 'sudo: this session has no root; running mkdir as user\n',
      returncode: 0,
    });
    // The command must not read the password.
    const piped = await execute(
      "printf 'password\\nrest\\n' | sudo -S -u root -p '' A=1 bash -c 'cat; echo $A; exit 3'",
    );
    expect(piped).toMatchObject({ output: 'rest\n1\n', returncode: 3 });
    expect(await execute("sudo -nE -- printf '%s,' 'a b' -c")).toMatchObject({ output: 'a b,-c,', returncode: 0 });
    expect(await execute('sudo --user=root id -un')).toMatchObject({ output: 'user\n' });
    expect(await execute('echo "echo $0" | sudo -i')).toMatchObject({ returncode: 0 });
    expect(await execute('sudo -v && sudo -k && sudo -l')).toMatchObject({ returncode: 0 });
    expect(await execute('sudo')).toMatchObject({ returncode: 1, error: expect.stringContaining('usage: sudo') });
    expect(await execute('sudo touch /usr/x')).toMatchObject({ returncode: 1 });
    expect(await execute('sudo no-such-command')).toMatchObject({ returncode: 127 });
  });

  it.skipIf(!existsSync('/usr/bin/xclip'))('has the copied text in the clipboard once xclip returns', async () => {
    const copies =
      'for n in {1..30}; do printf "text $n" | xclip -selection c; /usr/bin/xclip -selection c -o; echo; done';
    const { output } = await execute(copies);
    expect(output.trim().split('\n')).toEqual(Array.from({ length: 30 }, (_, index) => `text ${index + 1}`));
    const primary = 'printf a | xclip -selection p; xclip -o -selection p';
    expect((await execute(primary)).output).toBe('a');
  });

  it('runs a list for a shell as Python does: the first is the script', async () => {
    expect(await execute(['echo a b'])).toMatchObject({ output: 'a b\n' });
    expect(await execute(['echo $0 $1', 'x y', 'z'])).toMatchObject({ output: 'x y z\n' });
  });

  it('changes and returns the wallpaper', async () => {
    const png = await sharp({ create: { width: 32, height: 24, channels: 3, background: '#c02040' } })
      .png()
      .toBuffer();
    await upload('/tmp/red.png', new Uint8Array(png));
    const changed = await post('/setup/change_wallpaper', { path: '/tmp/red.png' });
    expect(await changed.text()).toBe('Wallpaper changed successfully');
    const screenshot = sharp(Buffer.from(await (await fetch(`${url}/screenshot`)).arrayBuffer()));
    expect([...(await screenshot.removeAlpha().raw().toBuffer()).subarray(0, 3)]).toEqual([0xc0, 0x20, 0x40]);
    expect(Buffer.from(await (await post('/wallpaper')).arrayBuffer()).equals(png)).toBe(true);
    expect((await post('/setup/change_wallpaper', { path: '/tmp/none.png' })).status).toBe(404);
    expect((await post('/setup/change_wallpaper', { path: '/etc/passwd' })).status).toBe(400);
  });

  const recordings = () => readdirSync(tmpdir()).filter((name) => name.startsWith('gyre-recording-'));

  it.skipIf(!records)('records its screen, one video at a time', async () => {
    const before = recordings();
    expect((await post('/end_recording')).status).toBe(400);
    expect(await (await post('/start_recording')).json()).toEqual({ status: 'success', message: 'Started recording.' });
    expect((await post('/start_recording')).status).toBe(400);
    const video = await post('/end_recording');
    expect(video.headers.get('content-type')).toBe('video/mp4');
    expect(
      Buffer.from(await video.arrayBuffer())
        .subarray(4, 8)
        .toString(),
    ).toBe('ftyp');
    expect((await post('/end_recording')).status).toBe(400);
    expect(recordings()).toEqual(before);
  });

  it('is replaced by a new one at POST /gyre/reset, with all that was in it', async () => {
    const before = recordings();
    await execute('touch ~/Desktop/old /tmp/old');
    if (records) await post('/start_recording');
    const leased = leases;
    const reset = await post('/gyre/reset');
    expect([reset.status, await reset.json()]).toEqual([200, { status: 'success' }]);
    expect(leases).toBe(leased + 1);
    expect(sandbox.sessions).toHaveLength(1);
    expect(await execute('ls ~/Desktop /tmp/old')).toMatchObject({ output: '/home/user/Desktop:\n' });
    expect(recordings()).toEqual(before);
    if (records) expect((await post('/end_recording')).status).toBe(400);
  });

  it('answers requests during a reset with the new session, and serialises resets', async () => {
    const leased = leases;
    const resets = [post('/gyre/reset'), post('/gyre/reset')];
    const answers = await Promise.all([...resets, ...[1, 2, 3].map(() => post('/screen_size'))]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(leases).toBe(leased + 2);
    expect(sandbox.sessions).toHaveLength(1);
  });

  it('says why a reset fails, and comes back with the next', async () => {
    refusal = new GyreError('infra', 'there is no memory', { part: 'machine', fix: 'make room' });
    for (const path of ['/gyre/reset', '/screen_size']) {
      const failed = await post(path);
      expect(failed.status, path).toBeGreaterThanOrEqual(500);
      expect(await failed.json(), path).toMatchObject({ message: 'there is no memory' });
    }
    expect(sandbox.sessions).toEqual([]);
    refusal = undefined;
    expect((await post('/gyre/reset')).status).toBe(200);
    expect((await post('/screen_size')).status).toBe(200);
  });

  it('that has ended says so until a reset replaces it', async () => {
    await sandbox.sessions[0]!.release();
    const answer = await fetch(`${url}/screenshot`);
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('released')]);
    expect((await post('/gyre/reset')).status).toBe(200);
    expect((await fetch(`${url}/screenshot`)).status).toBe(200);
  });

  it('is not reset by a page, nor by a server that was given one session', async () => {
    const evil = await fetch(`${url}/gyre/reset`, { method: 'POST', headers: { origin: 'http://evil.example' } });
    expect(evil.status).toBe(403);
    const singleServer = await serveCompat({ session: sandbox.sessions[0] as SandboxSession, protocol: 'osworld' });
    const refused = await fetch(`${singleServer.url}/gyre/reset`, { method: 'POST' });
    expect(await refused.json()).toMatchObject({ error: { code: 'missing', field: 'renew' } });
    await singleServer.close();
  });
});
