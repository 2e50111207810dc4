import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recordPlayed } from '../exchange/exchange.test.fixture.js';
import { aFolder } from '../store/folder.test.fixture.js';
import { Lake, S3Store } from '../index.js';
import { allOf } from '../store/sample.test.fixture.js';

/** Checks signatures (`go install github.com/versity/versitygw/cmd/versitygw@v1.8.0`). */

const missing = spawnSync('versitygw', ['--version']).error && 'versitygw is not on the PATH';
const credentials = { accessKeyId: 'gyre', secretAccessKey: 'gyre-secret' };

test.skipIf(missing)(
  `a lake goes through a service of S3 and comes back the same${missing ? ` (left out: ${missing})` : ''}`,
  { timeout: 60_000 },
  async () => {
    const root = await aFolder();
    await mkdir(join(root, 'lakes'));
    const port = await freePort();
    const endpoint = `http://127.0.0.1:${port}`;
    const store = (url = 's3://lakes/runs/first', keys = credentials) =>
      new S3Store({ url, endpoint, credentials: keys });
    let service = start(root, port);
    onTestFinished(() => void service.kill());
    const [source, target] = [await Lake.open(await aFolder()), await Lake.open(await aFolder())];
    await recordPlayed(source, 'a', [[{ type: 'click', point: { x: 0.5, y: 0.5 } }], [{ type: 'finished' }]]);
    await expect.poll(() => listed(store()).catch(() => undefined), { timeout: 20_000 }).toEqual([]);

    expect(await source.push(store())).toMatchObject({ episodeFiles: 1, screenshots: 3, known: 0, damaged: [] });
    expect((await listed(store())).length).toBe(4);
    expect(await source.push(store())).toMatchObject({ episodeFiles: 0, screenshots: 0, known: 4, bytes: 0 });
    const wrong = { ...credentials, secretAccessKey: 'other' };
    await expect(listed(store(undefined, wrong))).rejects.toMatchObject({ detail: { field: 'AWS_ACCESS_KEY_ID' } });
    await expect(listed(store('s3://other'))).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'url' } });

    service.kill('SIGKILL');
    await once(service, 'exit');
    await expect(target.pull(store())).rejects.toMatchObject({ code: 'infra', detail: { field: 'endpoint' } });
    service = start(root, port);
    await expect.poll(() => listed(store()).catch(() => []), { timeout: 20_000 }).toHaveLength(4);
    expect(await target.pull(store())).toMatchObject({ episodeFiles: 1, screenshots: 3, damaged: [] });
    expect(await allOf(target)).toEqual(await allOf(source));
    await Promise.all([source.close(), target.close()]);
  },
);

function start(root: string, port: number): ChildProcess {
  const env = {
    ...process.env,
    ROOT_ACCESS_KEY: credentials.accessKeyId,
    ROOT_SECRET_KEY: credentials.secretAccessKey,
  };
  return spawn('versitygw', ['--port', `127.0.0.1:${port}`, 'posix', root], { env, stdio: 'ignore' });
}

async function listed(store: S3Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list('')) keys.push(key);
  return keys;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
