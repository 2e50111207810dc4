import type { MachineKind, Sandbox } from '@gyre/sandbox';
import { descendantsMemory } from 'gyre';

export interface CrowdRow {
  kind: MachineKind;
  sessions: number;
  /** Until all are leased. */
  seconds: number;
  mebibytes: number;
  stepsPerSecond: number;
}

/** More would only queue. */
const starting = 4;

export async function measureCrowd(
  sandbox: Sandbox,
  { kind, sessions, ms }: { kind: MachineKind; sessions: number; ms: number },
): Promise<CrowdRow> {
  const began = performance.now();
  const leased: Awaited<ReturnType<Sandbox['lease']>>[] = [];
  try {
    for (let first = 0; first < sessions; first += starting) {
      const some = Array.from({ length: Math.min(starting, sessions - first) }, () =>
        sandbox.lease({ kind, size: { width: 640, height: 480 } }),
      );
      for (const one of await Promise.allSettled(some)) if (one.status === 'fulfilled') leased.push(one.value);
      await Promise.all(some);
    }
    const seconds = (performance.now() - began) / 1_000;
    const start = performance.now();
    let steps = 0;
    const act = async (screen: (typeof leased)[number]['screen']): Promise<void> => {
      while (performance.now() - start < ms) {
        await screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
        await screen.observe();
        steps++;
      }
    };
    await Promise.all(leased.map(({ screen }) => act(screen)));
    const stepsPerSecond = (steps * 1_000) / (performance.now() - start);
    return { kind, sessions, seconds, mebibytes: descendantsMemory() / 2 ** 20, stepsPerSecond };
  } finally {
    await Promise.all(leased.map((session) => session.release()));
  }
}
