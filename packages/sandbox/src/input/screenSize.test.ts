import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { Desktop } from '../desktop/desktop.js';
import { missingForDesktop } from '../desktop/requirement.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { BrowserPool } from '../browser/pool.js';
import { Sandbox } from '../lease/sandbox.js';
import { checkedSize } from './screenSize.js';
import { serveSandbox, type SandboxServer } from '../server/server.js';
import { AccessTokens } from '../server/tokens.js';

const none: unknown[] = [
  { width: 0, height: 10 },
  { width: 10, height: 0 },
  { width: 500.5, height: 300 },
  { width: 1e9, height: 1e9 },
  { width: 30_000, height: 30_000 },
  { width: 8_192, height: 8_192 },
  { width: -1, height: 100 },
  { width: Number.NaN, height: 100 },
  { width: '640', height: '480' },
  { width: 640 },
  null,
  'large',
];

const refused = {
  code: 'bad_input',
  detail: { field: 'size', fix: 'use whole numbers from 1 to 8192, and at most 33554432 px in all' },
};

describe('an invalid screen size', () => {
  let pools: BrowserPool[];
  let sandbox: Sandbox;
  let server: SandboxServer;
  const token = AccessTokens.random();
  beforeAll(async () => {
    pools = await Promise.all([BrowserPool.launch(), BrowserPool.launch({ clock: 'free' })]);
    sandbox = await Sandbox.start((await probeIsolation()).kind === 'none' ? { isolation: 'none' } : {});
    server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'operate' }] });
  });
  afterAll(async () => {
    await server.close();
    await Promise.all([sandbox.close(), ...pools.map((pool) => pool.close())]);
  });

  it.each(none.map((size) => [size]))(
    'is refused wherever a screen is leased, by its field and the range: %j',
    async (size) => {
      for (const pool of pools) await expect(pool.lease({ size: size as never })).rejects.toMatchObject(refused);
      for (const kind of ['browser', 'desktop', 'vm'] as const) {
        await expect(sandbox.lease({ kind, size: size as never })).rejects.toMatchObject(refused);
      }
      const answer = await fetch(`${server.url}/v1/sessions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ kind: 'browser', size }),
      });
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { error: { code: 'bad_input', field: 'size', message: expect.stringContaining('from 1 to 8192') } },
      ]);
      expect(sandbox.sessions).toEqual([]);
    },
  );

  it('is distinguished from a valid one', () => {
    const side = fc.oneof(fc.integer({ min: -5, max: 9_000 }), fc.double(), fc.string(), fc.constant(undefined));
    fc.assert(
      fc.property(fc.record({ width: side, height: side }), (size) => {
        const { width, height } = size as { width: number; height: number };
        const whole = [width, height].every((each) => Number.isInteger(each) && each >= 1 && each <= 8_192);
        if (whole && width * height <= 2 ** 25) expect(checkedSize(size)).toBe(size);
        else expect(() => checkedSize(size)).toThrow(expect.objectContaining(refused));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [1, 1],
    [3, 7],
    [8_192, 64],
    [64, 8_192],
    [4_096, 2_304],
  ])('does not include %i x %i: all of it is drawn, on every clock', async (width, height) => {
    const html = '<body style="margin:0;height:100vh;background:rgb(255,0,0)">';
    for (const pool of pools) {
      const session = await pool.lease({ size: { width, height } });
      await session.browser.open({ html, seed: 1 });
      await expect
        .poll(async () => {
          const { png } = await session.screen.observe();
          const { channels } = await sharp(png).removeAlpha().stats();
          return channels.map(({ min, max }) => [min, max]);
        })
        .toEqual([
          [255, 255],
          [0, 0],
          [0, 0],
        ]);
      await session.release();
    }
  });

  it.skipIf(missingForDesktop().length > 0).each([
    [1, 1],
    [8_192, 64],
    [64, 8_192],
  ])('does not include %i x %i on a desktop, either', async (width, height) => {
    const enclosure = await BareEnclosure.create();
    const desktop = await Desktop.start(enclosure, {
      size: { width, height },
      windowManager: false,
      accessibility: false,
    });
    const { png, size } = await desktop.observe();
    expect([size, (await sharp(png).metadata()).width]).toEqual([{ width, height }, width]);
    await desktop.close();
    await enclosure.close();
  });
});
