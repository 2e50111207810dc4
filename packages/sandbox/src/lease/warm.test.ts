import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { Sandbox, type SandboxOptions } from './sandbox.js';
import { serveSandbox } from '../server/server.js';
import { AccessTokens } from '../server/tokens.js';

const options: SandboxOptions = (await probeIsolation()).kind === 'none' ? { isolation: 'none' } : {};
const size = { width: 320, height: 240 };
const terms = { kind: 'browser', size } as const;

function browsers(pid = process.pid): number[] {
  const table = execFileSync('ps', ['--ppid', String(pid), '-o', 'pid=,args='])
    .toString()
    .trim()
    .split('\n');
  return table.filter((row) => row.includes('gyre-browser')).map((row) => Number(row.trim().split(' ')[0]));
}

describe('a warm sandbox', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await Sandbox.start({ ...options, warm: [{ ...terms, count: 1 }] });
  }, 30_000);
  afterAll(() => sandbox.close());
  const ready = () => expect.poll(() => sandbox.warm[0]?.ready, { timeout: 10_000 }).toBe(1);

  it('leases a ready machine, and warms another', async () => {
    await ready();
    const [browser] = browsers();
    const session = await sandbox.lease({ clock: 'stepped', size: { height: 240, width: 320 }, kind: 'browser' });
    expect(sandbox.warm).toMatchObject([{ taken: 1, died: 0, failed: 0 }]);
    expect(browsers()).toContain(browser);
    await session.browser.open({ html: '<button onclick="this.textContent = Math.random()">press', seed: 1 });
    await session.screen.act({ type: 'click', point: { x: 0.1, y: 0.05 } });
    const { hash } = await session.screen.observe();
    const cold = await sandbox.lease({ ...terms, stepMs: 100, env: { COLD: 'yes' } });
    await cold.browser.open({ html: '<button onclick="this.textContent = Math.random()">press', seed: 1 });
    await cold.screen.act({ type: 'click', point: { x: 0.1, y: 0.05 } });
    expect((await cold.screen.observe()).hash).toBe(hash);
    expect((await cold.shell.run('echo $COLD')).stdout).toBe('yes\n');
    await Promise.all([session.release(), cold.release()]);
    await ready();
    expect(browsers()).not.toContain(browser);
  });

  it.each([
    ['limits', { limits: { memoryBytes: 2 ** 29 } }],
    ['another size', { size: { width: 300, height: 200 } }],
    ['another environment', { env: { WHO: 'me' } }],
    ['files', { files: { note: 'of this lease' } }],
    ['another user', options.isolation === 'none' ? { env: { USER: 'someone' } } : { user: 'someone' }],
  ])('gives to a lease with %s a machine of its own', async (_, differing) => {
    await ready();
    const [{ taken } = { taken: 0 }] = sandbox.warm;
    await (await sandbox.lease({ ...terms, ...differing })).release();
    expect(sandbox.warm).toMatchObject([{ ready: 1, taken }]);
  });

  it('never leases one that was killed: it is counted and replaced', async () => {
    await ready();
    const [browser] = browsers();
    process.kill(-browser!, 'SIGKILL');
    // Before the sandbox can know.
    const session = await sandbox.lease(terms);
    await session.browser.open({ html: 'well', seed: 1 });
    expect(session.state).toBe('leased');
    expect(sandbox.warm).toMatchObject([{ died: 1 }]);
    await session.release();
    await ready();
  });
});

it.each([
  [[{ ...terms, count: 0 }], 'warm.count'],
  [[{ ...terms, count: 1.5 }], 'warm.count'],
  [
    [
      { ...terms, count: 1 },
      { ...terms, clock: 'stepped', count: 1 },
    ],
    'warm',
  ],
  [[{ kind: 'mainframe', count: 1 }], 'kind'],
])('is refused for %j, naming %s', async (warm, field) => {
  const starting = Sandbox.start({ ...options, warm: warm as never });
  await expect(starting).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
});

it('appears in the metrics of its server', async () => {
  const sandbox = await Sandbox.start({ ...options, warm: [{ ...terms, count: 1 }] });
  const token = AccessTokens.random();
  const server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'watch' }] });
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  expect(await response.text()).toContain('gyre_sandbox_warm{kind="browser",state="ready"} 1');
  await server.close();
  await sandbox.close();
});

it('leaves no process when its own was killed', async () => {
  const index = fileURLToPath(new URL('../index.js', import.meta.url));
  const script = `import { Sandbox } from ${JSON.stringify(index)};
    await Sandbox.start({ ...${JSON.stringify(options)}, warm: [{ ...${JSON.stringify(terms)}, count: 1 }] });
    console.log('ready'); setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const [browser] = browsers(child.pid);
  expect(browser).toBeGreaterThan(0);
  child.kill('SIGKILL');
  const gone = () =>
    execFileSync('ps', ['-eo', 'pgid=,stat='])
      .toString()
      .split('\n')
      .map((row) => row.trim().split(/\s+/));
  const remaining = () =>
    gone().filter(([group, state]) => Number(group) === browser && !state?.startsWith('Z')).length;
  await expect.poll(remaining, { timeout: 12_000 }).toBe(0);
}, 20_000);

it('leaves no process when it is closed', async () => {
  const before = browsers();
  const sandbox = await Sandbox.start({ ...options, warm: [{ ...terms, count: 2 }] });
  const session = await sandbox.lease(terms);
  await sandbox.close();
  expect(session.state).toBe('released');
  await expect.poll(() => browsers(), { timeout: 5_000 }).toEqual(before);
}, 20_000);
