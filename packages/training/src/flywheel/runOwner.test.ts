import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FolderLock } from '@gyre/lake';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Journal } from './journal.js';

const program = fileURLToPath(new URL('./runOwner.test.fixture.js', import.meta.url));

async function aFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'gyre-owner-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

function owner(dir: string, pauseMs: number) {
  const child = spawn(process.execPath, [program, dir, String(pauseMs)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const run = { child, said: '', ended: once(child, 'close') };
  child.stdout.on('data', (data: Buffer) => (run.said += data.toString()));
  return run;
}

function valueAfter(stages: number): number {
  let value = 0;
  for (let number = 1; number <= stages; number++) value = 2 * value + number;
  return value;
}

function acknowledged(output: string): { number: number; value: number; file: string }[] {
  return [...output.matchAll(/^acknowledged (\d+) (\d+) (.+)\n/gm)].map(([, number, value, file = '']) => ({
    ...{ number: Number(number), value: Number(value), file },
  }));
}

test('a second owner is refused with the name of the first, which loses nothing', async () => {
  const dir = await aFolder();
  const first = owner(dir, 1000);
  await vi.waitFor(() => expect(first.said).toContain('acknowledged 2'), { timeout: 30_000, interval: 5 });
  const second = owner(dir, 0);
  await second.ended;
  expect(second.said).toMatch(
    new RegExp(`^begun\\nerror held .* is locked by process ${String(first.child.pid)} on .* since 2.*last heartbeat`),
  );
  first.child.kill('SIGKILL');
  await first.ended;
  const reached = acknowledged(first.said).length;
  const third = owner(dir, 0);
  await third.ended;
  expect(acknowledged(third.said)).toHaveLength(12);
  expect(third.said).toContain(`end ${valueAfter(12)}\n`);
  expect(acknowledged(third.said)[reached - 1]?.file).toBe(acknowledged(first.said).at(-1)?.file);
}, 60_000);

const kills = Number(process.env.GYRE_KILLS ?? 8);

test(`killed at ${kills} random instants, a run goes on with all that was acknowledged`, async () => {
  let dir = await aFolder();
  let [reached, total] = [0, 0];
  for (let kill = 0; kill < kills; kill++) {
    const run = owner(dir, 2);
    // Any time between locking and the last stage.
    await vi.waitFor(() => expect(run.said).not.toBe(''), { timeout: 20_000, interval: 2 });
    await Promise.race([sleep(Math.random() * 150), run.ended]);
    run.child.kill('SIGKILL');
    await run.ended;
    expect(run.said).not.toContain('error');
    const done = acknowledged(run.said);
    total += done.length;
    for (const { number, value } of done) expect(value).toBe(valueAfter(number));
    reached = Math.max(reached, ...done.map(({ number }) => number));
    const last = done.at(-1);
    const state = await readFile(join(dir, 'state.json'), 'utf8').catch(() => undefined);
    const { stages } = state === undefined ? { stages: [] } : (JSON.parse(state) as { stages: { weights: string }[] });
    expect(stages.length).toBeGreaterThanOrEqual(reached);
    const newest = stages.at(-1)?.weights;
    if (newest !== undefined)
      expect(parseInt(await readFile(join(dir, newest), 'utf8'))).toBe(valueAfter(stages.length));
    if (last?.number === 12) {
      dir = await aFolder();
      reached = 0;
    }
  }
  expect(total).toBeGreaterThan(0);
  const whole = owner(dir, 0);
  await whole.ended;
  expect(whole.said).toContain(`end ${valueAfter(12)}\n`);
}, 1_200_000);

test('a replaced owner changes neither the state nor the weights of its successor', async () => {
  const dir = await aFolder();
  const numbers = () => {
    const weights = { value: 1, save: vi.fn(() => Promise.resolve()), load: () => Promise.resolve() };
    return weights;
  };
  const [lock, weights] = [await FolderLock.take(dir), numbers()];
  const journal = await Journal.open(dir, { run: {}, resume: true, weights, lock });
  await journal.stage('one', () => Promise.resolve({ turns: 1 }), { learns: true });
  const takeOver = async () => {
    // Simulates a silent owner on another machine.
    await rm(join(dir, 'lock'), { recursive: true });
    const next = await FolderLock.take(dir);
    await next.release();
    const [later, theirs] = [await FolderLock.take(dir), numbers()];
    const second = await Journal.open(dir, { run: {}, resume: true, weights: theirs, lock: later });
    await second.stage('one', () => Promise.reject(new Error('it is over')));
    await second.stage('two', () => Promise.resolve({ turns: 2 }), { learns: true });
    return { turns: 1 };
  };
  weights.save.mockClear();
  await expect(journal.stage('two', takeOver, { learns: true })).rejects.toMatchObject({ code: 'held' });
  expect(weights.save).not.toHaveBeenCalled();
  await expect(journal.stage('two', () => Promise.resolve({ turns: 3 }))).rejects.toMatchObject({ code: 'held' });
  const { stages } = JSON.parse(await readFile(join(dir, 'state.json'), 'utf8')) as { stages: object[] };
  expect(stages).toMatchObject([
    { stage: 'one' },
    { stage: 'two', outcome: { turns: 2 }, weights: expect.stringContaining('two.2.') as string },
  ]);
});
