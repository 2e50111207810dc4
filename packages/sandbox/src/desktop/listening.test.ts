import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startOnHost } from '../isolation/starter.js';
import type { Folder } from './folder.js';
import { listen } from './listening.js';

/** Accepts late, as a program that starts on a busy machine. */
const lateServer = `
import socket, time
server = socket.socket(fileno=3)
time.sleep(0.5)
while True:
    client, _ = server.accept()
    client.sendall(b'program')
    client.close()
`;

let onHost: string;
beforeAll(async () => {
  onHost = await mkdtemp(join(tmpdir(), 'gyre-listening-'));
});
afterAll(() => rm(onHost, { recursive: true }));

test('clients that connect before the program accepts are answered by the program', async () => {
  const folder: Pick<Folder, 'onHost' | 'give'> = { onHost, give: (name) => chmod(join(onHost, name), 0o600) };
  const listening = await listen(folder, 'socket');
  const program = await startOnHost({
    file: 'python3',
    args: ['-c', lateServer],
    env: { PATH: process.env.PATH ?? '' },
    cwd: '/',
    descriptor: listening.descriptor,
  });
  try {
    listening.publish();
    const answers = Array.from({ length: 20 }, () => text(connect(join(onHost, 'socket'))));
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['program']));
  } finally {
    program.kill();
  }
});
