import { TinkerSampler, VllmSampler } from '@gyre/engine';
import type { Check } from '../doctor.js';
import { optional } from './check.js';
import { gapChecks } from './gapChecks.js';
import { type EngineProbe, tinkerChecks } from './tinkerChecks.js';
import { vllmChecks } from './vllmChecks.js';

export interface ServerOptions {
  /** URL of a Tinker server. */
  readonly engine: string | undefined;
  /** URL of the vLLM that samples, with or without `/v1`. */
  readonly sampler: string | undefined;
  readonly model: string | undefined;
  readonly engineKey: string | undefined;
  readonly samplerKey: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Checks a Tinker server, the vLLM behind it, or both together. Trains a model of its own for a few steps, and unloads
 * it.
 */
export async function serverChecks(options: ServerOptions): Promise<Check[]> {
  const { engine: url, model, engineKey, signal } = options;
  if (url === undefined) return (await samplerChecks(options)).checks;
  const { checks, probe } = await tinkerChecks({ url, model, apiKey: engineKey, signal });
  if (!probe) return [...checks, ...(await samplerChecks(options)).checks];
  const abort = () => probe.client.close();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return [...checks, ...(await comparedChecks(probe, options))];
  } finally {
    signal.removeEventListener('abort', abort);
    await probe.engine.close();
  }
}

async function comparedChecks(probe: EngineProbe, options: ServerOptions): Promise<Check[]> {
  const vllm = await samplerChecks(options);
  // A sampler that fails its own checks cannot be compared.
  if (options.sampler !== undefined && !vllm.probe) return vllm.checks;
  await probe.sampler.bind(
    vllm.probe ? new VllmSampler({ server: vllm.probe.server }) : new TinkerSampler(probe.client),
  );
  return [...vllm.checks, ...(await gapChecks(probe, vllm.probe))];
}

async function samplerChecks({ sampler: url, model, samplerKey }: ServerOptions): ReturnType<typeof vllmChecks> {
  if (url !== undefined) return vllmChecks({ url, model, apiKey: samplerKey });
  const finding = 'not checked; samples by asample of the Tinker server';
  const fix = 'To check rendering, pixels, context length and sampling by vLLM, pass --sampler URL.';
  return { checks: [optional('vLLM', finding, fix)] };
}
