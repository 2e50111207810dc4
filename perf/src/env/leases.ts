import type { Size } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { median } from './race.js';

/** In ms, from a warm pool. */
export interface LeaseRow {
  kind: 'browser';
  p50: number;
  p99: number;
}

export async function measureLeases(size: Size): Promise<LeaseRow> {
  const pool = await BrowserPool.launch();
  const times: number[] = [];
  try {
    await (await pool.lease({ size })).release();
    for (let lease = 0; lease < 100; lease++) {
      const start = performance.now();
      const session = await pool.lease({ size });
      times.push(performance.now() - start);
      await session.release();
    }
  } finally {
    await pool.close();
  }
  times.sort((a, b) => a - b);
  return { kind: 'browser', p50: median(times), p99: times[Math.floor(times.length * 0.99)]! };
}
