/** Steps a second of one desktop with an editor on it: `node packages/sandbox/bench/desktop.mjs [SECONDS]`. */
import { performance } from 'node:perf_hooks';
import { Desktop } from '../dist/index.js';
import { BareEnclosure } from '../dist/enclosure/bareEnclosure.js';

const seconds = Number(process.argv[2] ?? 3);
const size = { width: 1280, height: 720 };
const [bgrx, rgb] = [4, 3].map((bytes) => new Uint8Array(size.width * size.height * bytes));

const looks = {
  'click, sync and raw frame': { settle: false, look: (desktop) => desktop.pixels('bgrx', bgrx) },
  'click, sync and RGB': { settle: false, look: (desktop) => desktop.pixels('rgb', rgb) },
  'click, settled, and PNG': { settle: {}, look: (desktop) => desktop.observe() },
};

for (const [name, { settle, look }] of Object.entries(looks)) {
  const enclosure = await BareEnclosure.create();
  const desktop = await Desktop.start(enclosure, { size, settle });
  await desktop.launch('mousepad');
  await desktop.waitForWindow(({ program }) => program === 'Mousepad');
  let steps = 0;
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  for (; performance.now() - start < seconds * 1_000; steps++) {
    await desktop.act({ type: 'click', point: { x: steps % 2 === 0 ? 0.6 : 0.9, y: 0.7 } });
    await look(desktop);
  }
  const { user, system } = process.cpuUsage(cpu);
  const rate = (steps / (performance.now() - start)) * 1_000;
  console.log(
    `${name}: ${rate.toFixed(0)} steps/s, ${((user + system) / steps / 1_000).toFixed(2)} ms of this process each`,
  );
  await desktop.close();
  await enclosure.close();
}
