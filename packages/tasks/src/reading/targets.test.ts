import { BrowserPool } from '@gyre/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { targetsOf } from './targets.js';

let pool: BrowserPool;
beforeAll(async () => {
  pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
});
afterAll(() => pool.close());

const place = (left: number, top: number) =>
  `style="position:absolute;left:${left}px;top:${top}px;width:40px;height:20px"`;

test('a point has the box of the interactive element around it, as far as that is on the screen', async () => {
  const session = await pool.lease({ size: { width: 200, height: 100 } });
  await session.browser.open({
    html: `<!doctype html><body style="margin:0;height:100px"><div data-name="row" ${place(10, 10)}><b>text</b></div>
<button ${place(-20, 50)}>cut</button><canvas ${place(100, 10)} tabindex="0"></canvas><p ${place(100, 50)}>plain</p>`,
    seed: 1,
  });
  const points = [
    [15, 15],
    [5, 60],
    [110, 15],
    [110, 55],
    [199, 99],
  ].map(([x = 0, y = 0]) => ({ x: x / 200, y: y / 100 }));
  expect(await targetsOf(session, points)).toEqual([
    ...[{ x: 10, y: 10, width: 40, height: 20 }, { x: 0, y: 50, width: 20, height: 20 }, null, null, null],
  ]);
  expect(await targetsOf(session, [{ x: 1, y: 1 }])).toEqual([null]);
  await session.release();
});

test('a point on a slider has the part that sets the same value', async () => {
  const session = await pool.lease({ size: { width: 200, height: 100 } });
  const track = 'position:absolute;left:20px;top:10px;width:100px;height:20px';
  await session.browser.open({
    html: `<!doctype html><body style="margin:0"><div data-name="slide"><i data-ticks="5" style="${track}"></i></div>`,
    seed: 1,
  });
  expect(await targetsOf(session, [{ x: 0.4, y: 0.2 }])).toEqual([{ x: 70, y: 10, width: 20, height: 20 }]);
  await session.release();
});

test('a drag may end anywhere where it drops the same', async () => {
  const session = await pool.lease({ size: { width: 200, height: 100 } });
  const card = 'position:absolute;left:5px;top:20px;width:50px;height:20px';
  await session.browser.open({
    html: `<!doctype html><body style="margin:0"><div data-name="place" data-drop style="width:60px;height:80px"><b data-name="card" style="${card}"></b></div>`,
    seed: 1,
  });
  const onCard = { x: 0.15, y: 0.3 };
  expect(await targetsOf(session, [onCard, onCard])).toEqual([
    { x: 5, y: 20, width: 50, height: 20 },
    { x: 0, y: 0, width: 60, height: 80 },
  ]);
  await session.release();
});

test('an open dialog has no targets', async () => {
  const session = await pool.lease({ size: { width: 200, height: 100 } });
  await session.browser.open({
    html: '<button style="position:fixed;inset:0" onclick="alert(1)">ask</button>',
    seed: 1,
  });
  await session.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
  await session.screen.observe();
  expect(await targetsOf(session, [{ x: 0.5, y: 0.5 }])).toEqual([null]);
  await session.release();
});
