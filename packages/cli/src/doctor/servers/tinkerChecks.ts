import {
  type PublishedWeights,
  type Sampler,
  TinkerClient,
  TinkerEngine,
  TinkerSampler,
  VllmSampler,
} from '@gyre/engine';
import type { Check } from '../doctor.js';
import { adapterFix, type SamplerProbe } from './vllmChecks.js';
import { failed, missing, optional, ready } from './check.js';

export interface EngineOptions {
  readonly url: string;
  /** Default: the server's only model. */
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  readonly sampler: SamplerProbe | undefined;
  readonly signal: AbortSignal;
}

export interface EngineProbe {
  readonly engine: TinkerEngine;
  readonly client: TinkerClient;
  readonly published: () => PublishedWeights | undefined;
}

const rank = 8;

/** Opens a session and creates a model. The caller closes the engine. */
export async function tinkerChecks(
  options: EngineOptions,
): Promise<{ readonly checks: Check[]; readonly probe?: EngineProbe }> {
  const checks: Check[] = [];
  const { url, apiKey, signal } = options;
  let client: TinkerClient;
  try {
    client = await TinkerClient.open({ url, apiKey, retries: 2, samplesPictures: true, signal });
  } catch (error) {
    return { checks: [failed('Tinker server', error)] };
  }
  checks.push(ready('Tinker server', `answers at ${url}`));
  const base = await baseModel(client, options);
  checks.push(base.check);
  if (base.model === undefined) {
    client.close();
    return { checks };
  }
  const created = await createdModel(client, base.model, options);
  checks.push(created.check);
  if (!created.probe) client.close();
  return { checks, ...(created.probe && { probe: created.probe }) };
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
  { sampler }: EngineOptions,
): Promise<{ readonly check: Check; readonly probe?: EngineProbe }> {
  const name = 'LoRA model';
  const tracked = new TrackedSampler(sampler ? new VllmSampler({ server: sampler.server }) : new TinkerSampler(client));
  try {
    const engine = await TinkerEngine.open({
      client,
      model: { baseModel, rank },
      ...{ sampler: tracked, vocabulary: 'probe', pictures: true },
      pictureToken: sampler?.chat?.pictureToken,
    });
    const probe = { engine, client, published: () => tracked.weights };
    return { check: ready(name, `created with rank ${rank}, and unloaded at the end`), probe };
  } catch (error) {
    const fix = /one model|already/i.test(String(error)) ? 'end the run that trains on this server' : undefined;
    return { check: failed(name, error, fix) };
  }
}

/** Remembers the published weights. */
class TrackedSampler implements Sampler {
  readonly #sampler: Sampler;
  weights: PublishedWeights | undefined;

  constructor(sampler: Sampler) {
    this.#sampler = sampler;
  }

  async use(weights: PublishedWeights): Promise<void> {
    this.weights = weights;
    await this.#sampler.use(weights);
  }

  sample(...requests: Parameters<Sampler['sample']>): ReturnType<Sampler['sample']> {
    return this.#sampler.sample(...requests);
  }
}

/** Names the cause of a failed publication or of an adapter that the sampler lacks. */
export function publicationFailure(name: string, error: unknown): Check {
  const words = String(error);
  if (/load_lora_adapter/.test(words)) return failed(name, error, adapterFix.replace(/\.$/, ''));
  if (/does not exist|model `/.test(words)) {
    const finding = 'the trainer did not load its adapter into this vLLM';
    const { message } = error as Error;
    return missing(name, `${finding} (${message})`, `Point the trainer at the vLLM of --sampler. ${adapterFix}`);
  }
  return failed(name, error);
}

export const optionalSampler = (): Check =>
  optional(
    'vLLM',
    'not checked; samples by asample of the Tinker server',
    'To check rendering, pixels, context length and sampling by vLLM, pass --sampler URL.',
  );
