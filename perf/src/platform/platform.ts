import { Sandbox } from '@gyre/sandbox';
import { type CrowdRow, measureCrowd } from './crowd.js';
import { type DesktopRow, measureDesktop } from './desktopRate.js';
import { type LeaseRow, measureLeases } from './leasing.js';
import { type LoadRow, measureLoad } from './load.js';
import { type WatchingRow, measureWatching } from './watching.js';

export interface PlatformBench {
  leases: LeaseRow[];
  desktop: DesktopRow;
  crowds: CrowdRow[];
  load: LoadRow[];
  watching: WatchingRow[];
}

/** Takes about `seconds`, plus 40 machine starts. Throws `missing`. */
export async function benchPlatform({ seconds }: { seconds: number }): Promise<PlatformBench> {
  const sandbox = await Sandbox.start();
  try {
    return {
      leases: await measureLeases(10),
      desktop: await measureDesktop(seconds * 200),
      load: await measureLoad(sandbox, seconds * 0.3),
      watching: await measureWatching(sandbox, seconds * 300),
      crowds: [
        await measureCrowd(sandbox, { kind: 'browser', sessions: 32, ms: seconds * 100 }),
        await measureCrowd(sandbox, { kind: 'desktop', sessions: 8, ms: seconds * 100 }),
      ],
    };
  } finally {
    await sandbox.close();
  }
}
