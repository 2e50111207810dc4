import { spawn, type ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { GyreError } from '@gyre/protocol';
import type { Enclosure } from '../isolation/enclosure.js';

const excludes = ['./.gyre-browser-*', './.desktop-*'].map((name) => `--exclude=${name}`);

const longestMs = 120_000;

const longestComplaint = 2_000;

/**
 * Packs a home as .tar.gz. tar runs inside: it sees what programs see, and stores links as links. Throws `bad_input`
 * above `maxBytes`, `missing` without tar, and `infra`.
 */
export async function saveHome(enclosure: Enclosure, maxBytes: number): Promise<Buffer> {
  const args = ['-C', enclosure.home, ...excludes, '--sparse', '--ignore-failed-read', '-cz', '.'];
  const tar = start(enclosure, args);
  tar.stdin!.destroy();
  const pieces: Buffer[] = [];
  let bytes = 0;
  tar.stdout!.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxBytes) tar.kill('SIGKILL');
    else pieces.push(piece);
  });
  const { code, stderr } = await ending(tar);
  if (bytes > maxBytes) {
    throw new GyreError('bad_input', `the archive of the home exceeds ${maxBytes} bytes`, {
      field: 'maxBytes',
      fix: 'remove files, or raise maxBytes',
    });
  }
  // 1: a file changed while being read.
  if (code !== 0 && code !== 1) throw failure('cannot save the home', code, stderr);
  return Buffer.concat(pieces);
}

/**
 * Unpacks an archive (base64) of `saveHome`. tar runs inside, so a forged one reaches nothing that the session's
 * programs cannot. Throws `corrupt` for an invalid or oversized archive, `missing` and `infra`.
 */
export async function restoreHome(enclosure: Enclosure, archive: string): Promise<void> {
  const tar = start(enclosure, ['-C', enclosure.home, ...excludes, '--no-same-owner', '-xz']);
  // tar may end early.
  tar.stdin!.on('error', () => undefined);
  Readable.from(decoded(archive)).pipe(tar.stdin!);
  tar.stdout!.resume();
  const { code, stderr } = await ending(tar);
  if (code !== 0) throw failure('cannot restore the home', code, stderr);
}

/** Decoded at once, to yield in between. */
const pieceCharacters = 2 ** 18;

function* decoded(archive: string): Generator<Buffer, void> {
  for (let at = 0; at < archive.length; at += pieceCharacters) {
    yield Buffer.from(archive.slice(at, at + pieceCharacters), 'base64');
  }
}

function start(enclosure: Enclosure, args: readonly string[]): ChildProcess {
  const command = enclosure.command('tar', args);
  return spawn(command.file, [...command.args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...command.env },
    cwd: command.cwd,
    detached: true,
  });
}

async function ending(tar: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  let stderr = '';
  tar.stderr!.on('data', (text: Buffer) => {
    stderr = (stderr + text.toString()).slice(-longestComplaint);
  });
  const late = setTimeout(() => tar.kill('SIGKILL'), longestMs);
  const code = await new Promise<number | null>((resolve) => {
    tar.once('close', resolve);
    tar.once('error', () => resolve(127));
  });
  clearTimeout(late);
  return { code, stderr: stderr.trim() };
}

function failure(problem: string, code: number | null, stderr: string): GyreError {
  if (code === 127) return new GyreError('missing', 'tar is not installed', { fix: 'install tar and gzip' });
  if (code === null || code > 128) {
    return new GyreError('infra', `${problem}: tar was killed`, {
      part: 'machine',
      field: 'home',
      fix: 'check the limits of the session',
    });
  }
  return new GyreError('corrupt', `${problem}: ${stderr}`, { field: 'home', fix: 'check the output of tar' });
}
