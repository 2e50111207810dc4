import { GyreError } from '@gyre/protocol';
import { Random } from '../random.js';
import type { Architecture } from './architecture.js';
import { Computation } from './computation.js';
import { contextTokens } from './context.js';
import type { NativeDatum, NativeLoss, Screenshot } from './nativeEngine.js';
import { glyphLabels } from './glyphs.js';
import { vocabularyOf } from './vocabulary.js';

export interface Deviation {
  /** `loss`, `logprobs`, `values`, `sampled` or `grad.NAME`. */
  readonly tensor: string;
  /** Relative to the largest value. */
  readonly share: number;
}

/** Rounding is about 1e-5; wrong kernels are far off. */
const tolerance = 1e-3;

/**
 * Compares a small training step and a sampled decision on WebGPU and the CPU: the runtime's WebGPU kernels are
 * experimental and have been wrong.
 */
export async function checkParity(architecture: Architecture, threads = 1): Promise<Deviation> {
  const { imageLayers } = architecture;
  const few = { ...architecture, imageLayers: Math.min(1, imageLayers), decoderLayers: 1 };
  const [cpu, webgpu] = (['cpu', 'webgpu'] as const).map(
    (backend) => new Computation(few, { seed: 1, threads, backend }),
  ) as [Computation, Computation];
  try {
    const worst = await compareComputations(cpu, webgpu);
    requireWithinTolerance(worst);
    return worst;
  } finally {
    await Promise.all([cpu.close(), webgpu.close()]);
  }
}

export function requireWithinTolerance({ tensor, share }: Deviation): void {
  if (share <= tolerance) return;
  const percent = (part: number) => `${(100 * part).toPrecision(2)} %`;
  throw new GyreError(
    'numeric',
    `WebGPU and CPU results differ: ${tensor} deviates by ${percent(share)} of its largest value; ` +
      `the tolerance is ${percent(tolerance)}`,
    { field: 'backend', fix: 'use the backend cpu, or another driver' },
  );
}

export async function compareComputations(reference: Computation, tested: Computation): Promise<Deviation> {
  const { data, loss } = example(reference.model.architecture);
  const expected = await learn(reference, data, loss);
  const actual = await learn(tested, data, loss);
  if (reference.model.architecture.role === 'policy') await sample(reference, tested, data, { expected, actual });
  return largestDeviation(expected, actual);
}

/** Compares gradients near zero by the size of the others. */
export function largestDeviation(
  expected: ReadonlyMap<string, Float32Array>,
  actual: ReadonlyMap<string, Float32Array>,
): Deviation {
  const largest = (values: Float32Array) => values.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  const gradients = [...expected].filter(([name]) => name.startsWith('grad.')).map(([, values]) => largest(values));
  const floor = 1e-2 * Math.max(0, ...gradients);
  const deviations = [...expected].map(([tensor, values]): Deviation => {
    const testedValues = actual.get(tensor);
    const difference = largest(values.map((value, i) => value - (testedValues?.[i] ?? NaN)));
    const scale = Math.max(largest(values), tensor.startsWith('grad.') ? floor : 0) || 1;
    return { tensor, share: Number.isNaN(difference) ? Infinity : difference / scale };
  });
  return deviations.reduce((worst, one) => (one.share > worst.share ? one : worst));
}

async function learn(
  computation: Computation,
  data: readonly NativeDatum[],
  loss: NativeLoss,
): Promise<Map<string, Float32Array>> {
  const { gradient, parameters } = computation;
  gradient.fill(0);
  const result = await computation.run(data, { source: 'pixels', loss });
  return new Map([
    ['loss', Float32Array.of(result.loss)],
    ['logprobs', Float32Array.from(result.logprobs.flat(2))],
    ['values', Float32Array.from(result.values.flat())],
    ...parameters.specs.map(({ name }) => [`grad.${name}`, parameters.view(name, gradient)] as const),
  ]);
}

async function sample(
  reference: Computation,
  tested: Computation,
  data: readonly NativeDatum[],
  { expected, actual }: Record<'expected' | 'actual', Map<string, Float32Array>>,
): Promise<void> {
  const requests = data.map(({ screenshots, sequences: [sequence] }) => ({
    input: { screenshots, tokens: sequence?.tokens ?? [] },
    temperature: 0,
    seed: 1,
  }));
  const sampled = await tested.sample(requests, 0);
  const again = data.map(({ screenshots, sequences: [sequence] }, i) => ({
    screenshots,
    sequences: [{ tokens: sequence?.tokens ?? [], action: sampled[i]?.tokens ?? [] }],
  }));
  const { logprobs } = await reference.run(again, { source: 'features' });
  expected.set('sampled', Float32Array.from(logprobs.flat(2)));
  actual.set('sampled', Float32Array.from(sampled.flatMap((one) => one.logprobs)));
}

function example({ screenshots: maxScreenshots, role }: Architecture): { data: NativeDatum[]; loss: NativeLoss } {
  const size = { width: 64, height: 48 };
  const random = new Random(1);
  const screenshots = Array.from({ length: Math.min(2, maxScreenshots) }, (_, i): Screenshot => {
    const pixels = Uint8Array.from({ length: size.width * size.height * 3 }, () => random.int(256));
    return { hash: `parity ${i}`, pixels, size };
  });
  const vocabulary = vocabularyOf(size);
  const tokens = contextTokens(vocabulary, 'click "ab"', []);
  if (role === 'critic') {
    return {
      data: [{ screenshots, sequences: [{ tokens, action: [], clock: 1, return: 1, value: 0 }] }],
      loss: { name: 'ppo_critic', valueClip: 0.2 },
    };
  }
  const action = vocabulary.encode({ type: 'click', point: { x: 0.3, y: 0.8 } });
  const glyphs = glyphLabels(vocabulary.grid, [
    { char: 'a', box: { x: 4, y: 2, width: 8, height: 14 }, word: 'ab', index: 0 },
  ]);
  return {
    data: [{ screenshots, sequences: [{ tokens, action }], glyphs }],
    loss: { name: 'cross_entropy', glyphWeight: 1 },
  };
}
