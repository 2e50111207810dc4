import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Lake } from '@gyre/lake';
import type { Action, Point } from '@gyre/protocol';
import { BrowserPool, type BrowserSession } from '@gyre/sandbox';
import { familyOf, openTask, suiteOf } from '@gyre/tasks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bin, inProcess, lastJson } from '../inProcess.test.fixture.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-tasks-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const sizeOf = (png: Buffer) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) });

describe('gyre tasks list', () => {
  test('lists the selected families with their properties', async () => {
    const { status, stdout } = await inProcess(...'tasks list --suite basics,widgets --family 2048 --json'.split(' '));
    expect(status).toBe(0);
    const { families } = lastJson(stdout) as { families: { suite: string; family: string }[] };
    const entriesOf = (suite: string) => Object.keys(suiteOf(suite)).map((family) => ({ suite, family }));
    const every = [...entriesOf('basics'), ...entriesOf('widgets'), { suite: 'games', family: '2048' }];
    expect(families.map(({ suite, family }) => ({ suite, family }))).toEqual(every);
    expect(families).toContainEqual({
      suite: 'widgets',
      family: 'menu',
      description: familyOf('menu').description,
      screen: '160x160',
      surfaces: ['screen'],
      wordings: 5,
      heldOut: false,
      scripted: true,
    });
    expect(families).toContainEqual(expect.objectContaining({ family: '2048', screen: '320x240', difficulty: [1, 5] }));
  });

  test('selects by suite, name and prefix, each family once', async () => {
    const { stdout } = await inProcess('tasks', 'list', '--suite', 'basics', '--family', 'key*,maze', '--json');
    const { families } = lastJson(stdout) as { families: { family: string }[] };
    expect(families.map(({ family }) => family)).toEqual(['click', 'form', 'maze', 'vault', 'keyboardNav']);
  });
});

describe('gyre tasks show', () => {
  test('prints, draws and solves a task', async () => {
    const picture = join(directory, 'menu.png');
    const { status, stdout, stderr } = await inProcess(
      ...['tasks', 'show', 'menu/test/7/320x240', '--picture', picture, '--solution', '--json'],
    );
    expect(status).toBe(0);
    const { task } = familyOf('menu').create('test', 7, { width: 320, height: 240 });
    expect(lastJson(stdout)).toMatchObject({ task, verdict: { success: true }, picture });
    expect(stderr).toContain(`${task.id}: ${task.instruction}`);
    expect(stderr).toContain('widgets');
    expect(stderr).toMatch(/1 {2}click 0\.\d\d, 0\.\d\d.*\(.+\)\n/);
    expect(sizeOf(await readFile(picture))).toEqual(task.screen);
  });

  test('needs no browser to print it', async () => {
    const { status, stdout } = await inProcess('tasks', 'show', 'maze/train/3');
    expect(status).toBe(0);
    expect(stdout).toContain(familyOf('maze').create('train', 3).task.instruction);
  });

  test('reads the instruction from the page of MiniWoB++', async () => {
    const folder = join(directory, 'double-of-miniwob');
    await mkdir(join(folder, 'core'), { recursive: true });
    await mkdir(join(folder, 'miniwob'));
    await writeFile(
      join(folder, 'core/core.js'),
      'core = { startEpisodeReal() {}, endEpisode() {}, getUtterance: () => "press it" }; Math.seedrandom = () => {};',
    );
    await writeFile(join(folder, 'miniwob/press-it.html'), '<body><script src="../core/core.js"></script>');
    const { status, stdout } = await inProcess('tasks', 'show', 'miniwob.press-it/test/0', '--miniwob', folder);
    expect(stdout).toContain('miniwob.press-it/test/0: press it\n');
    expect(status).toBe(0);
    const played = await inProcess('eval', '--miniwob', folder, '--policy', 'oracle', '--discard', '--json');
    const message = expect.stringContaining('miniwob.press-it: no scripted solution') as string;
    expect(lastJson(played.stdout)).toMatchObject({ error: { code: 'bad_input', message } });
    expect(played.status).toBe(1);
  });
});

test('gyre tasks sheet draws every family into one picture', async () => {
  const out = join(directory, 'sheet.png');
  const { status, stdout } = await inProcess('tasks', 'sheet', '--family', 'click,menu,2048', '--out', out, '--json');
  expect(status).toBe(0);
  expect(lastJson(stdout)).toEqual({ out, families: ['click', 'menu', '2048'] });
  const { width, height } = sizeOf(await readFile(out));
  expect(width).toBeGreaterThan(320);
  expect(height).toBeGreaterThan(3 * 160);
});

describe('gyre tasks play', () => {
  let pool: BrowserPool;
  let viewer: BrowserSession;
  beforeAll(async () => {
    pool = await BrowserPool.launch({ clock: 'free', network: 'any' });
    viewer = await pool.lease({ size: { width: 900, height: 700 } });
  });
  afterAll(() => pool.close());

  async function firstPress(id: string): Promise<Point> {
    const stepped = await BrowserPool.launch();
    try {
      const [family = '', split, seed] = id.split('/');
      const instance = familyOf(family).create(split as 'test', Number(seed));
      const environment = openTask(instance, stepped);
      await environment.reset();
      const [action] = (await environment.oracle!()).actions;
      return (action as Extract<Action, { type: 'click' }>).point;
    } finally {
      await stepped.close();
    }
  }

  async function playAsPerson(
    id: string,
    more: readonly string[],
    person: (child: ReturnType<typeof spawn>) => Promise<void>,
  ) {
    const child = spawn(process.execPath, [bin, 'tasks', 'play', id, '--isolation', 'none', '--json', ...more]);
    let stdout = '';
    child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      lines.push(line);
      const link = /http:\S+/.exec(line)?.[0];
      if (link === undefined) continue;
      await viewer.browser.navigate(link);
      const isShown = () => viewer.browser.evaluate(`document.querySelector('[role=application] img') !== null`);
      await expect.poll(isShown, { timeout: 30_000 }).toBe(true);
      void person(child);
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    // Shells say 130 for both.
    const status = child.signalCode === 'SIGINT' ? 130 : child.exitCode;
    return { status, lines, result: lastJson(stdout) };
  }

  test('lets a person play on a page, and stores the episode', { timeout: 60_000 }, async () => {
    const id = 'click/test/7';
    const point = await firstPress(id);
    const { instruction } = familyOf('click').create('test', 7).task;
    const folder = join(directory, 'played');
    const { status, lines, result } = await playAsPerson(id, ['--name', 'Anna', '--directory', folder], async () => {
      expect(await viewer.browser.evaluate(`document.querySelector('h1').textContent`)).toBe(instruction);
      const place = await viewer.browser.evaluate<Point>(
        `(() => { const { left, top, width, height } = document.querySelector('[role=application]').getBoundingClientRect();
          return { x: (left + width * ${point.x}) / innerWidth, y: (top + height * ${point.y}) / innerHeight }; })()`,
      );
      await viewer.screen.act({ type: 'click', point: place });
    });
    const episode = (result as { episode: string }).episode;
    expect(lines).toContain(`${id}: ${instruction}`);
    expect(lines.slice(-3)).toEqual(['reward +1.00, 1.00 so far', `episode ${episode}`, 'success, score 1.00']);
    expect(result).toMatchObject({ task: { id }, reward: 1, verdict: { success: true } });
    expect(status).toBe(0);
    const lake = await Lake.open(join(folder, 'lake'));
    for await (const { policy, purpose, turns, end } of lake.episodes({ ids: [episode] })) {
      expect([policy, purpose, end.state]).toEqual(['human:Anna', 'play', 'finished']);
      expect(turns.map(({ by, actions: [action] }) => [by, action?.type])).toEqual([['Anna', 'click']]);
    }
    await lake.close();
  });

  test('ends when the person finishes, and stores nothing with --discard', { timeout: 60_000 }, async () => {
    const { lines, status, result } = await playAsPerson('maze/test/1', ['--discard'], async (child) => {
      child.stdin?.write('\n');
    });
    expect(lines.at(-1)).toBe('failed, score 0.00');
    expect(result).not.toHaveProperty('episode');
    expect(status).toBe(0);
  });

  test('is given up by ctrl-C', { timeout: 60_000 }, async () => {
    const { lines, status } = await playAsPerson('maze/test/1', ['--discard'], async (child) => {
      child.kill('SIGINT');
    });
    expect(lines.at(-1)).toBe('given up');
    expect(status).toBe(130);
  });
});

test('a suite is timed by random episodes of its families', async () => {
  const { stdout } = await new Promise<{ stdout: string }>((resolve) =>
    execFile(
      process.execPath,
      [
        bin,
        'bench',
        'env',
        '--family',
        'click,maze,2048',
        '--seconds',
        '2',
        '--sessions',
        '2',
        '--browsers',
        '1',
        '--json',
      ],
      (_, out) => resolve({ stdout: out }),
    ),
  );
  const row = (family: string, size: string) => ({
    ...{ family, size, stepsPerSecond: expect.any(Number) as number, episodes: expect.any(Number) as number },
  });
  const result = lastJson(stdout) as { stepsPerSecond: number };
  expect(result).toMatchObject({
    sessions: 2,
    families: [row('click', '160x160'), row('maze', '160x160'), row('2048', '320x240')],
  });
  expect(result.stepsPerSecond).toBeGreaterThan(0);
});
