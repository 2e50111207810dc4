export interface Contestant {
  /** Parallel lanes; each call clicks and captures its own screen. */
  readonly lanes: readonly (() => Promise<unknown>)[];
  close(): Promise<void>;
}

/** Steps per second by contestant and round. */
export type Rates<Name extends string> = Readonly<Record<Name, readonly number[]>>;

/** The first contestant rotates, to vary neighbours. */
export const rounds = 8;

/** Interleaves contestants, `roundMs` each per round, then closes them. */
export async function race<Name extends string>(
  contestants: Readonly<Record<Name, Contestant>>,
  roundMs: number,
): Promise<Rates<Name>> {
  const names = Object.keys(contestants) as Name[];
  const rates = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  try {
    for (const name of names) await rate(contestants[name], roundMs / 4);
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < names.length; turn++) {
        const name = names[(round + turn) % names.length]!;
        rates[name].push(await rate(contestants[name], roundMs));
      }
    }
  } finally {
    await Promise.all(names.map((name) => contestants[name].close()));
  }
  return rates;
}

export function ratio(of: readonly number[], to: readonly number[]): number {
  return median(of.map((rate, round) => rate / to[round]!));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

async function rate({ lanes }: Contestant, ms: number): Promise<number> {
  const start = performance.now();
  let steps = 0;
  const run = async (step: () => Promise<unknown>) => {
    while (performance.now() - start < ms) {
      await step();
      steps += 1;
    }
  };
  await Promise.all(lanes.map(run));
  return (steps * 1_000) / (performance.now() - start);
}
