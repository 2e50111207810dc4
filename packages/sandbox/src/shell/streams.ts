import { execFile } from 'node:child_process';
import { close as closeFd, constants, open as openFd } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GyreError } from '@gyre/protocol';

const run = promisify(execFile);
const open = promisify(openFd);
const close = promisify(closeFd);

/**
 * Standard streams. Node would use sockets, which cannot be opened as /dev/stdin, /dev/stdout or /dev/stderr, as
 * scripts often do. These are a file and pipes, unlinked once open; their modes let the program reopen them even as
 * another user.
 */
export interface Streams {
  /** The program's ends; `release` them after `spawn`. */
  readonly fds: { readonly stdin: number | undefined; readonly outputs: readonly number[] };
  readonly outputs: readonly Socket[];
  release(): Promise<void>;
}

export async function openStreams(outputs: number, stdin: string | Uint8Array | undefined): Promise<Streams> {
  let place: string | undefined;
  try {
    place = await mkdtemp(join(tmpdir(), 'gyre-pipe-'));
    const paths = Array.from({ length: outputs }, (_, index) => join(place!, `out-${index}`));
    await run('mkfifo', ['-m', '666', ...paths]);
    const pipes = await Promise.all(paths.map(openPipe));
    const input = stdin === undefined ? undefined : await openInput(join(place, 'in'), stdin);
    const theirs = pipes.map(({ fd }) => fd);
    return {
      fds: { stdin: input, outputs: theirs },
      outputs: pipes.map(({ stream }) => stream),
      release: async () => {
        await Promise.all([...theirs, ...(input === undefined ? [] : [input])].map((fd) => close(fd)));
      },
    };
  } catch (cause) {
    throw new GyreError('infra', 'cannot open pipes for a program', {
      part: 'shell',
      fix: `check that ${tmpdir()} is writable, mkfifo is installed and file descriptors are available`,
      cause,
    });
  } finally {
    if (place !== undefined) await rm(place, { recursive: true, force: true });
  }
}

async function openPipe(path: string): Promise<{ stream: Socket; fd: number }> {
  const ours = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const fd = await open(path, constants.O_WRONLY);
  return { stream: new Socket({ fd: ours, readable: true, writable: false }), fd };
}

async function openInput(path: string, data: string | Uint8Array): Promise<number> {
  await writeFile(path, data, { mode: 0o444 });
  return open(path, constants.O_RDONLY);
}
