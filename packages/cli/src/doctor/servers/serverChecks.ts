import type { Check } from '../doctor.js';
import { gapChecks } from './gapChecks.js';
import { optionalSampler, tinkerChecks } from './tinkerChecks.js';
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
  const { engine: url, sampler: samplerUrl, model, engineKey, samplerKey, signal } = options;
  const vllm = samplerUrl === undefined ? undefined : await vllmChecks({ url: samplerUrl, model, apiKey: samplerKey });
  const samplerReport = vllm?.checks ?? [optionalSampler()];
  if (url === undefined) return samplerReport;
  const tinker = await tinkerChecks({ url, model, apiKey: engineKey, sampler: vllm?.probe, signal });
  const checks = [...tinker.checks, ...samplerReport];
  const { probe } = tinker;
  if (!probe) return checks;
  const abort = () => probe.client.close();
  signal.addEventListener('abort', abort, { once: true });
  try {
    // A sampler that fails its own checks cannot be compared.
    if (vllm && !vllm.probe) return checks;
    return [...checks, ...(await gapChecks(probe, vllm?.probe))];
  } finally {
    signal.removeEventListener('abort', abort);
    await probe.engine.close();
  }
}
