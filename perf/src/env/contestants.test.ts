import { missingForDesktop, probeIsolation } from '@gyre/sandbox';
import { expect, test } from 'vitest';
import { measureDesktopClicks } from './desktops.js';
import { measureFree } from './freeBrowsers.js';

const lacking = missingForDesktop().length > 0 || (await probeIsolation()).kind === 'none';

test.skipIf(lacking)('gyre and bare X click and look on the same desktop', { timeout: 60_000 }, async () => {
  const row = await measureDesktopClicks('none', 5);
  expect(row).toMatchObject({ size: '1280x720', program: 'none' });
  for (const value of [row.gyre, row.bareX, row.ratioBare]) expect(value).toBeGreaterThan(0);
});

test('sessions and bare contexts click and look on free-running pages', { timeout: 60_000 }, async () => {
  const row = await measureFree({ width: 160, height: 160 }, 5);
  expect(row).toMatchObject({ size: '160x160', contexts: 8 });
  for (const value of [row.gyre, row.bareCdp, row.ratioBare]) expect(value).toBeGreaterThan(0);
});
