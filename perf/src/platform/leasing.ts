import { type MachineKind, Sandbox, type SandboxSession } from '@gyre/sandbox';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from './quantile.js';

/** In ms. */
export interface LeaseRow {
  kind: MachineKind;
  warm: boolean;
  /** `painted`: a program has drawn its window. */
  until: 'leased' | 'painted';
  n: number;
  p50: number;
  worst: number;
}

const sizes = { browser: { width: 320, height: 240 }, desktop: { width: 1280, height: 720 } } as const;
/** No warm machine has this variable. */
const cold = { env: { COLD: '1' } };

export async function measureLeases(n: number): Promise<LeaseRow[]> {
  const kinds = Object.keys(sizes) as (keyof typeof sizes)[];
  const sandbox = await Sandbox.start({ warm: kinds.map((kind) => ({ kind, size: sizes[kind], count: 1 })) });
  const rows: LeaseRow[] = [];
  const time = async (
    row: Pick<LeaseRow, 'kind' | 'warm' | 'until'>,
    lease: () => Promise<SandboxSession>,
  ): Promise<void> => {
    const times: number[] = [];
    for (let i = 0; i < n; i++) {
      while (sandbox.warm.some(({ ready }) => ready === 0)) await pause(20);
      const start = performance.now();
      const session = await lease();
      times.push(performance.now() - start);
      await session.release();
    }
    rows.push({ ...row, n, p50: quantile(times, 0.5), worst: Math.max(...times) });
  };
  try {
    for (const kind of kinds) {
      const terms = { kind, size: sizes[kind] };
      await time({ kind, warm: false, until: 'leased' }, () => sandbox.lease({ ...terms, ...cold }));
      await time({ kind, warm: true, until: 'leased' }, () => sandbox.lease(terms));
    }
    await time({ kind: 'desktop', warm: true, until: 'painted' }, () => painted(sandbox));
    return rows;
  } finally {
    await sandbox.close();
  }
}

async function painted(sandbox: Sandbox): Promise<SandboxSession> {
  const session = await sandbox.lease({ kind: 'desktop', size: sizes.desktop });
  const desktop = session.desktop;
  const before = Buffer.from(await desktop.pixels('bgrx'));
  await desktop.launch('xterm');
  while (before.equals(await desktop.pixels('bgrx'))) await pause(2);
  return session;
}
