import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Action, AgentAction } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bridge } from '../bridge/bridge.js';
import { Pool } from '../bridge/pool.js';
import { familyOf, openMobileGym } from './benchmark.js';
import { evaluateInPage } from './mainWorld.js';
import { officialAction } from './phone.js';
import { Site } from './site.js';

const html = `<!doctype html><body style="margin:0"><button style="width:180px;height:400px">more</button><p></p>
<script src="/assets/late.js"></script>
<script>
document.querySelector('button').onclick = async () => {
  world.number++;
  document.querySelector('p').textContent = await (await fetch('/text.txt')).text();
};
</script></body>`;

let folder: string;
let site: Site;
let browsers: BrowserPool;
const program = fileURLToPath(new URL('./double/mobileGymDouble.js', import.meta.url));
const bridges = new Pool(2, () =>
  Promise.resolve(new Bridge({ name: 'double', program: process.execPath, args: [program] })),
);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-mobilegym-'));
  await mkdir(join(folder, 'dist', 'assets'), { recursive: true });
  await writeFile(join(folder, 'dist', 'index.html'), html);
  await writeFile(join(folder, 'dist', 'text.txt'), 'arrived');
  await writeFile(
    join(folder, 'dist', 'assets', 'late.js'),
    'window.world = { isReady: false }; setTimeout(() => (world.isReady = true), 700);',
  );
  await writeFile(join(folder, 'secret.txt'), 'secret');
  site = await Site.open(join(folder, 'dist'), { '/cdn/': join(folder, 'cdn') });
  browsers = await BrowserPool.launch({ network: { proxy: site.proxy, loopback: true } });
});
afterAll(async () => {
  await bridges.close();
  await browsers.close();
  await site.close();
  await rm(folder, { recursive: true });
});

const templates = [
  { id: 'clock.Toggle', split: 'test', budget: 15 },
  { id: 'clock.Add', split: 'test', budget: 30 },
  { id: 'clock.Set', split: 'train', budget: 45 },
] as const;
const family = () => familyOf('clock', templates, { bridges, browsers, site });
const open = () => family().open!(family().create('test', 0), { lease: () => Promise.reject(new Error('unused')) });

const press: AgentAction = { type: 'click', point: { x: 0.2, y: 0.2 } };
const finish: AgentAction = { type: 'finished', answer: '2' };

describe('a task on the double of MobileGym', () => {
  test.each([
    ['done and finished', [press, finish], 1, { success: true, score: 1 }],
    ['done and not finished', [press], 0, { success: false, score: 1 }],
    ['finished and not done', [finish], 0.25, { success: false, score: 0.5, evidence: { failed: ['number (2)'] } }],
    [
      'done with a side effect',
      [press, { type: 'press_home' }, finish],
      0.5,
      { success: false, score: 1, evidence: { goal: true, sideEffects: ['pressed'] } },
    ],
  ] as const)('that is %s', async (_, actions, reward, verdict) => {
    const environment = open();
    try {
      const { size } = await environment.reset();
      expect(size).toEqual({ width: 360, height: 800 });
      expect(environment.task.instruction).toMatch(/^make it 2; .*no such app/);
      let earned = 0;
      for (const action of actions) {
        const { results, reward: paid } = await environment.step([action]);
        expect(results).toEqual([]);
        earned += paid;
      }
      expect(earned).toBe(reward);
      expect(await environment.verdict()).toMatchObject({ ...verdict, source: 'verifier' });
    } finally {
      await environment.close();
    }
  });

  test('shows what an action has loaded, and is the same each time', async () => {
    const hashes = [];
    for (let time = 0; time < 2; time++) {
      const environment = open();
      const before = await environment.reset();
      const { observation } = await environment.step([press]);
      expect(observation.hash).not.toBe(before.hash);
      hashes.push([before.hash, observation.hash]);
      await environment.close();
    }
    expect(hashes[0]).toEqual(hashes[1]);
  });
});

test('tasks are templates of the split, and further seeds draw them again', () => {
  const { seeds, create } = family();
  expect(seeds).toEqual([0, 1]);
  expect(create('test', 3)).toMatchObject({ task: { id: 'mobilegym.clock/test/3', stepBudget: 30 } });
  const drawn = (split: 'train' | 'dev' | 'test', seed: number) =>
    (create(split, seed) as { official?: unknown }).official;
  expect(drawn('test', 3)).toEqual({ id: 'clock.Add', seed: 1 });
  expect(drawn('train', 2)).toEqual({ id: 'clock.Set', seed: 2 });
  expect(drawn('dev', 2)).not.toEqual(drawn('train', 2));
  const trained = familyOf('clock', templates.slice(2), { bridges, browsers, site });
  expect(trained.seeds).toEqual([]);
  expect(trained.create('test', 0)).not.toEqual(trained.create('train', 0));
  const tested = familyOf('clock', templates.slice(0, 2), { bridges, browsers, site });
  expect(() => tested.create('train', 0)).toThrow(expect.objectContaining({ code: 'bad_input' }));
});

test('a folder without MobileGym, or without its built apps, is refused', async () => {
  const refused = (fix: RegExp) =>
    expect.objectContaining({ code: 'bad_input', detail: { field: '--mobilegym', fix: expect.stringMatching(fix) } });
  await expect(openMobileGym({ directory: '/nowhere' })).rejects.toEqual(refused(/clone/));
  const clone = join(folder, 'clone');
  await mkdir(join(clone, 'bench_env', 'task'), { recursive: true });
  await writeFile(join(clone, 'vite.config.ts'), '');
  await expect(openMobileGym({ directory: clone })).rejects.toEqual(refused(/vite build/));
});

test('fingers and buttons are MobileGym’s, everything else is real input', () => {
  const [start, end] = [
    { x: 0.5, y: 0.75 },
    { x: 0.5, y: 0.25 },
  ];
  const swipe = { type: 'SWIPE', data: { point1: [500, 750], point2: [500, 250] } };
  expect(officialAction({ type: 'drag', start, end })).toEqual(swipe);
  expect(officialAction({ type: 'swipe', start, end })).toEqual(swipe);
  expect(officialAction({ type: 'press_back' })).toEqual({ type: 'BACK', data: {} });
  expect(officialAction({ type: 'open_app', name: '微信' })).toEqual({ type: 'AWAKE', data: { value: '微信' } });
  const others: Action[] = [{ type: 'click', point: start }, { type: 'type', text: 'a' }, { type: 'wait' }];
  for (const action of others) expect(officialAction(action)).toBeUndefined();
});

describe('the site', () => {
  const request = async (url: string) => {
    const session = await browsers.lease({ size: { width: 160, height: 160 } });
    try {
      await session.navigate(site.url);
      const options = { isBusy: () => site.isBusy, timeoutMs: 10_000 };
      const read = 'async (url) => { const answer = await fetch(url); return [answer.status, await answer.text()]; }';
      return await evaluateInPage(session, read, url, options).catch(String);
    } finally {
      await session.release();
    }
  };

  test('has its files, its page for routes, and nothing else', async () => {
    expect(await request('/text.txt')).toEqual([200, 'arrived']);
    expect(await request('/some/route')).toEqual([200, html]);
    expect(await request('/no.json')).toEqual([404, 'not found']);
    expect(await request('/cdn/no.json')).toEqual([404, 'not found']);
    expect(await request(`${site.proxy}/text.txt`)).toMatch(/fetch/);
    expect(await request('http://example.com/')).toMatch(/fetch/);
    expect(await request('https://example.com/')).toMatch(/fetch/);
  });

  test('serves no file outside its folder, whatever the path', async () => {
    const paths = fc.array(
      fc.constantFrom('..', '%2e%2e', '/', '%2f', '\\', '%5c', 'assets', 'cdn', 'secret.txt', '\0'),
    );
    await fc.assert(
      fc.asyncProperty(paths, async (parts) => {
        const path = `/${parts.join('')}`;
        const answer = await rawRequest(site.proxy, `http://localhost${path}`);
        expect(answer).not.toContain('secret\n');
        expect(answer.endsWith('secret')).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});

/** Sends an address as it is, which `fetch` would tidy. */
function rawRequest(proxy: string, address: string): Promise<string> {
  const { hostname, port } = new URL(proxy);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setEncoding('utf8').on('data', (text) => (answer += String(text)));
    socket.on('end', () => resolve(answer)).on('error', reject);
    socket.write(`GET ${address.replace('\0', '%00')} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  });
}
