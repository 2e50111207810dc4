import { type PublishedWeights, type Sampler, TinkerClient, TinkerEngine } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import type { Check } from '../doctor.js';
import { adapterFix } from './vllmChecks.js';
import { failed, keyFix, missing, ready } from './check.js';

export interface EngineOptions {
  readonly url: string;
  /** Default: the server's only model. */
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
}

export interface EngineProbe {
  readonly engine: TinkerEngine;
  readonly client: TinkerClient;
  readonly sampler: LateSampler;
}

const rank = 8;

/** Opens a session, creates a model and publishes its weights. The caller closes the engine. */
export async function tinkerChecks(
  options: EngineOptions,
): Promise<{ readonly checks: Check[]; readonly probe?: EngineProbe }> {
  const checks: Check[] = [];
  const { url, apiKey, signal } = options;
  let client: TinkerClient;
  try {
    client = await TinkerClient.open({ url, apiKey, retries: 2, samplesPictures: true, signal });
  } catch (error) {
    return { checks: [failed('Tinker server', error, keyFix(error, 'TINKER_API_KEY'))] };
  }
  checks.push(ready('Tinker server', `answers at ${url}`));
  const base = await baseModel(client, options);
  checks.push(base.check);
  if (base.model === undefined) {
    client.close();
    return { checks };
  }
  const created = await createdModel(client, base.model);
  if (!created.probe) client.close();
  return { ...created, checks: [...checks, ...created.checks] };
}

async function baseModel(
  client: TinkerClient,
  { model, signal }: EngineOptions,
): Promise<{ readonly check: Check; readonly model?: string }> {
  const name = 'base model';
  let served: string[];
  try {
    served = (await client.capabilities(signal)).map((supported) => supported.model);
  } catch (error) {
    return { check: failed(name, error) };
  }
  const chosen = model ?? (served.length === 1 ? served[0] : undefined);
  const names = served.join(', ') || 'no model';
  if (chosen === undefined) return { check: missing(name, `the server has ${names}`, 'Choose one with --model.') };
  if (served.includes(chosen)) return { check: ready(name, chosen), model: chosen };
  const finding = `the server has ${names}, not ${chosen}`;
  return { check: missing(name, finding, 'Name it as the server does, with --model: SkyRL creates others unchecked.') };
}

async function createdModel(
  client: TinkerClient,
  baseModel: string,
): Promise<{ readonly checks: Check[]; readonly probe?: EngineProbe }> {
  const name = 'LoRA model';
  const sampler = new LateSampler();
  let engine: TinkerEngine;
  try {
    const model = { baseModel, rank };
    engine = await TinkerEngine.open({ client, model, sampler, vocabulary: 'probe', pictures: true });
  } catch (error) {
    const fix = /one model|already/i.test(String(error)) ? 'end the run that trains on this server' : undefined;
    return { checks: [failed(name, error, fix)] };
  }
  const created = ready(name, `created with rank ${rank}, and unloaded at the end`);
  try {
    // SkyRL starts its own vLLM now.
    await engine.publish();
    return { checks: [created], probe: { engine, client, sampler } };
  } catch (error) {
    await engine.close();
    return { checks: [created, publicationFailure('publication', error)] };
  }
}

/** Waits for a sampler that is known only after the first publication. */
export class LateSampler implements Sampler {
  #sampler: Sampler | undefined;
  #weights: PublishedWeights | undefined;

  get weights(): PublishedWeights | undefined {
    return this.#weights;
  }

  async bind(sampler: Sampler): Promise<void> {
    this.#sampler = sampler;
    if (this.#weights) await sampler.use(this.#weights);
  }

  async use(weights: PublishedWeights): Promise<void> {
    this.#weights = weights;
    await this.#sampler?.use(weights);
  }

  sample(...requests: Parameters<Sampler['sample']>): ReturnType<Sampler['sample']> {
    if (this.#sampler) return this.#sampler.sample(...requests);
    throw new GyreError('bad_input', 'no sampler is bound', { field: 'sampler', fix: 'call bind() first' });
  }
}

const rankFix =
  "start vLLM with a --max-lora-rank of at least the adapter's rank (served.rank of the settings, 32 by default)";

/** Names the cause of a failed publication or of an adapter that the sampler lacks. */
export function publicationFailure(name: string, error: unknown): Check {
  const words = String(error);
  if (words.includes('max_lora_rank')) return failed(name, error, rankFix);
  if (words.includes('load_lora_adapter')) return failed(name, error, adapterFix.replace(/\.$/, ''));
  if (words.includes('does not exist')) {
    const finding = `the trainer did not load its adapter into this vLLM (${(error as Error).message})`;
    return missing(name, finding, `Point the trainer at the vLLM of --sampler. ${adapterFix}`);
  }
  return failed(name, error);
}
