import { AdamW, type Backend, compile, engineInternals } from '@gyre/engine';
import type { ErrorCode } from '@gyre/protocol';
import { median } from '../median.js';
import { type ReferenceSize, newParameters, referenceBatch, trainingGraph } from './referenceModel.js';

export interface TrainingRequest {
  size: ReferenceSize;
  /** Sequences of 160 tokens. */
  batch: number;
  backend: Backend;
  threads: number;
  recompute?: boolean;
  ms: number;
  /** WebGPU: compares the first gradient with the CPU's. */
  compare?: boolean;
}

export interface TrainingCost {
  /** Forward, backward and AdamW. */
  msPerStep: number;
  /** Forward and backward, with the gradient on the CPU. */
  msPerGradient: number;
  peakMiB: number;
  compared?: { deviation: number; tensor: string; nodes: number; onCpu: number };
}

export type TrainingReply =
  { cost: TrainingCost } | { error: { code: ErrorCode; message: string; detail: { field?: string; fix?: string } } };

/** Throws `numeric` if compared gradients differ. */
export async function train(request: TrainingRequest): Promise<TrainingCost> {
  const { size, batch, backend, threads, recompute = false, ms, compare = false } = request;
  const parameters = newParameters(size);
  const source = backend === 'cpu' ? parameters : new engineInternals.ResidentParameters(parameters);
  const outputs = trainingGraph(size, batch, backend, { recompute });
  const executable = await compile(outputs, { threads });
  const feeds = referenceBatch(batch);
  const gradient = new Float32Array(parameters.size);
  const into = Object.fromEntries(parameters.specs.map(({ name }) => [name, parameters.view(name, gradient)]));
  const compared = compare ? { compared: await comparison() } : {};
  const optimiser = new AdamW(parameters);
  const gradientTimes: number[] = [];
  const step = async () => {
    const start = performance.now();
    await executable.run(feeds, source, into);
    gradientTimes.push(performance.now() - start);
    optimiser.step(gradient, 1e-3);
    if (source instanceof engineInternals.ResidentParameters) source.changed();
  };
  const msPerStep = await median(step, ms);
  const msPerGradient = gradientTimes.sort((a, b) => a - b)[gradientTimes.length >> 1]!;
  await executable.release();
  if (source instanceof engineInternals.ResidentParameters) await source.release();
  return { msPerStep, msPerGradient, peakMiB: process.resourceUsage().maxRSS / 1024, ...compared };

  async function comparison() {
    const { loss } = await executable.run(feeds, source, into);
    const valuesOf = (loss: ArrayLike<number>, flatGradient: Float32Array) =>
      new Map([
        ['loss', Float32Array.from(loss)],
        ...parameters.specs.map(({ name }) => [`grad.${name}`, parameters.view(name, flatGradient).slice()] as const),
      ]);
    const actual = valuesOf(loss!, gradient);
    const onCpu = await compile(trainingGraph(size, batch, 'cpu'), { threads });
    const expected = valuesOf((await onCpu.run(feeds, parameters, into)).loss!, gradient);
    await onCpu.release();
    const worst = engineInternals.largestDeviation(expected, actual);
    engineInternals.requireWithinTolerance(worst);
    const placement = await engineInternals.placementOf(outputs, { threads });
    return {
      deviation: worst.share,
      tensor: worst.tensor,
      nodes: placement.nodes,
      onCpu: placement.onCpu.length,
    };
  }
}
