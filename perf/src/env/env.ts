import { GyreError, type Size } from '@gyre/protocol';
import { type DesktopRow, measureDesktopClicks } from './desktops.js';
import { type FreeRow, measureFree } from './freeBrowsers.js';
import { type LeaseRow, measureLeases } from './leases.js';
import { rounds } from './race.js';
import { type BrowserRow, measureBrowser } from './steppedBrowsers.js';

export interface EnvBench {
  browser: BrowserRow[];
  free: FreeRow[];
  desktop: DesktopRow[];
  lease: LeaseRow[];
  /** With installation hints. */
  skipped: string[];
}

const sizes: readonly Size[] = [
  { width: 320, height: 240 },
  { width: 1280, height: 720 },
];
const desktopPrograms = ['none', 'mousepad'] as const;

const turns = sizes.length * (3 + 2) + desktopPrograms.length * 2;

/** Compares with plain Playwright, bare CDP and bare X. Throws `missing` without a browser. */
export async function benchEnv(options: { seconds?: number } = {}): Promise<EnvBench> {
  const roundMs = ((options.seconds ?? 30) * 1_000 * 0.9) / (turns * rounds);
  const result: EnvBench = { browser: [], free: [], desktop: [], lease: [], skipped: [] };
  for (const size of sizes) result.browser.push(await measureBrowser(size, roundMs));
  for (const size of sizes) result.free.push(await measureFree(size, roundMs));
  for (const program of desktopPrograms) {
    try {
      result.desktop.push(await measureDesktopClicks(program, roundMs));
    } catch (error) {
      if (!(error instanceof GyreError) || error.code !== 'missing') throw error;
      const label = program === 'none' ? 'desktop' : `desktop with ${program}`;
      result.skipped.push(`${label}: ${error.message}${error.detail.fix ? ` (${error.detail.fix})` : ''}`);
    }
  }
  result.lease.push(await measureLeases(sizes[0]!));
  return result;
}
