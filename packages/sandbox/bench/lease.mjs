/** How long a lease takes, cold and warm: `node packages/sandbox/bench/lease.mjs [LEASES]`. */
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Sandbox } from '../dist/index.js';

const leases = Number(process.argv[2] ?? 10);
const browser = { kind: 'browser', size: { width: 320, height: 240 } };
const desktop = { kind: 'desktop', size: { width: 1280, height: 720 } };

const sandbox = await Sandbox.start({ warm: [browser, desktop].map((terms) => ({ ...terms, count: 1 })) });
const cold = { env: { COLD: '1' } };
await report('browser, cold', () => sandbox.lease({ ...browser, ...cold }));
await report('browser, warm', () => sandbox.lease(browser));
await report('desktop, cold', () => sandbox.lease({ ...desktop, ...cold }));
await report('desktop, warm', () => sandbox.lease(desktop));
await report('desktop, warm, and xterm painted', () => painted('xterm'));
await report('desktop, warm, and mousepad painted', () => painted('mousepad'));
await sandbox.close();

/** A desktop with a program that has shown itself. */
async function painted(program) {
  const session = await sandbox.lease(desktop);
  const before = Buffer.from(await session.desktop.pixels('bgrx'));
  await session.desktop.launch(program);
  while (before.equals(await session.desktop.pixels('bgrx'))) await pause(2);
  return session;
}

async function report(what, lease) {
  const times = [];
  for (let i = 0; i < leases; i++) {
    while (sandbox.warm.some(({ ready }) => ready === 0)) await pause(20);
    const start = performance.now();
    const session = await lease();
    times.push(performance.now() - start);
    await session.release();
  }
  times.sort((a, b) => a - b);
  console.log(`${what}: p50 ${times[leases >> 1].toFixed(1)} ms, worst ${times.at(-1).toFixed(1)} ms`);
}
