import {
  type Architecture,
  ParameterStore,
  Random,
  type Tensor,
  architectures,
  compile,
  engineInternals,
} from '@gyre/engine';

/** `trained`: full precision with trainable weights. */
const variants = ['trained', ...engineInternals.precisions] as const;
type Variant = (typeof variants)[number];

export interface QuantisedBench {
  architecture: string;
  params: number;
  variant: Variant;
  weightBytes: number;
  /** One 320 x 240 screenshot. */
  encodeMs: number;
  /** One token that attends to it. */
  tokensPerSecond: number;
  /** Batch of 32 with 128 x 128 screenshots. */
  tokensPerSecond32: number;
  /** Screenshot, 48 tokens of instruction and history, three action tokens. */
  msPerTurn: number;
  /** Median, relative to `trained`. */
  ratio: { encode: number; token: number; token32: number; turn: number };
}

const large = { width: 320, height: 240 };
const little = { width: 128, height: 128 };
const context = 48;
const room = 8;
const minRounds = 7;

const kinds = ['encode', 'prefill', 'token', 'token32'] as const;
type Kind = (typeof kinds)[number];

/** Compares quantised policies with full precision, on one thread. Takes about `seconds`, without compilation. */
export async function benchQuantised(options: {
  seconds: number;
  architectures: readonly (keyof typeof architectures)[];
}): Promise<QuantisedBench[]> {
  const ms = (1_000 * options.seconds) / options.architectures.length;
  const out: QuantisedBench[] = [];
  for (const name of options.architectures) out.push(...(await race(name, architectures[name], ms)));
  return out;
}

async function race(architecture: string, shape: Architecture, ms: number): Promise<QuantisedBench[]> {
  const model = new engineInternals.Model(shape);
  const parameters = new ParameterStore([...model.parameters], 1);
  const graphs: Record<Kind, () => Record<string, Tensor>> = {
    encode: () => engineInternals.encodeGraph(model, 1, large),
    prefill: () => engineInternals.prefillGraph(model, { n: 1, screen: large, screenshots: 1, context }),
    token: () => engineInternals.stepGraph(model, { n: 1, screen: large, screenshots: 1, length: context + room }),
    token32: () => engineInternals.stepGraph(model, { n: 32, screen: little, screenshots: 1, length: context + room }),
  };
  const times = new Map<string, number[]>();
  const timesOf = (kind: Kind, variant: Variant) => times.get(`${kind} ${variant}`) ?? [];
  // By kind: together their weights would fill the memory.
  for (const kind of kinds) {
    const executables = new Map<Variant, engineInternals.Executable>();
    for (const variant of variants) {
      const outputs = graphs[kind]();
      const chosen =
        variant === 'trained'
          ? outputs
          : engineInternals.frozen(outputs, parameters, engineInternals.policyPrecision(variant));
      executables.set(variant, await compile(chosen, { threads: 1 }));
      times.set(`${kind} ${variant}`, []);
    }
    const feeds = feedsOf(executables.get('trained')!);
    const round = async (count: boolean): Promise<void> => {
      for (const variant of variants) {
        const start = performance.now();
        await executables.get(variant)!.run(feeds, parameters);
        if (count) timesOf(kind, variant).push(performance.now() - start);
      }
    };
    await round(false);
    const end = performance.now() + ms / kinds.length;
    for (let rounds = 0; rounds < minRounds || performance.now() < end; rounds++) await round(true);
    for (const executable of executables.values()) await executable.release();
  }
  const acting = [...Object.values(graphs.encode()), ...Object.values(graphs.prefill())];
  const time = (kind: Kind, variant: Variant) => median(timesOf(kind, variant));
  // The prefill returns the first token.
  const turn = (variant: Variant) => time('encode', variant) + time('prefill', variant) + 2 * time('token', variant);
  return variants.map((variant) => {
    const ratio = (kind: Kind) =>
      median(timesOf(kind, 'trained').map((reference, round) => reference / timesOf(kind, variant)[round]!));
    return {
      architecture,
      params: parameters.size,
      variant,
      weightBytes: engineInternals.frozenBytes(
        acting,
        engineInternals.policyPrecision(variant === 'trained' ? 'f32' : variant),
      ),
      encodeMs: time('encode', variant),
      tokensPerSecond: 1_000 / time('token', variant),
      tokensPerSecond32: 32_000 / time('token32', variant),
      msPerTurn: turn(variant),
      ratio: {
        encode: ratio('encode'),
        token: ratio('token'),
        token32: ratio('token32'),
        turn: turn('trained') / turn(variant),
      },
    };
  });
}

function feedsOf(executable: engineInternals.Executable): Record<string, engineInternals.Feed> {
  const random = new Random(1);
  return Object.fromEntries(
    executable.inputs.map(({ name, shape, dtype }): [string, engineInternals.Feed] => {
      const length = shape.reduce((product, side) => product * side, 1);
      if (dtype === 'uint8') return [name, Uint8Array.from({ length }, () => random.int(256))];
      if (dtype === 'int32') return [name, new Int32Array(length)];
      return [name, Float32Array.from({ length }, () => random.normal())];
    }),
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
