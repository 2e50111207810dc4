import { inspectVllm, promptPicture, type VllmInspection, VllmServer } from '@gyre/engine';
import { type ChatProbe, chatProbe, chatTexts, plainPicture, type ProbePrompts } from '@gyre/training';
import type { Check } from '../doctor.js';
import { failed, grouped, keyFix, missing, optional, ready } from './check.js';

export interface SamplerProbe {
  readonly server: VllmServer;
  readonly inspection: VllmInspection;
  readonly prompts: ProbePrompts;
  /** Undefined for a model without pictures. */
  readonly chat: ChatProbe | undefined;
}

export interface SamplerOptions {
  readonly url: string;
  /** Default: the first base model. */
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
}

export const normaliseFix =
  'Start vLLM with --no-mm-device-do-normalize (SkyRL: generator.inference_engine.engine_init_kwargs.mm_device_do_normalize=false).';

/** Screenshots that agents see, and tokens for text and answer. */
const [screenshots, otherTokens] = [5, 2_048];
const screen = { width: 1280, height: 720 };

/** Checks vLLM alone. Returns what later checks need, unless they would fail. */
export async function vllmChecks(
  options: SamplerOptions,
): Promise<{ readonly checks: Check[]; readonly probe?: SamplerProbe }> {
  let inspection: VllmInspection;
  try {
    inspection = await inspectVllm(options);
  } catch (error) {
    return { checks: [failed('vLLM', error, keyFix(error, 'OPENAI_API_KEY'))] };
  }
  const model = options.model ?? inspection.models.find(({ parent }) => parent === undefined)?.id;
  const checks = [modelCheck(model, inspection), endpointCheck(inspection), adapterCheck(inspection)];
  if (model === undefined || checks.slice(0, 2).some(({ ok }) => !ok)) return { checks };
  const server = new VllmServer({ url: options.url, model, apiKey: options.apiKey, retries: 1 });
  try {
    const texts = await chatTexts(server);
    const pictures = await pictureChecks(server, texts);
    checks.push(...pictures.checks);
    const { chat } = pictures;
    if (chat) {
      const maxLength = inspection.models.find(({ id }) => id === model)?.maxLength;
      checks.push(
        await severalCheck(server),
        await contextCheck(server, maxLength),
        await visionTokenCheck(server, chat),
      );
    }
    return { checks, probe: { server, inspection, chat, prompts: chat?.prompts ?? { texts, pictures: undefined } } };
  } catch (error) {
    return { checks: [...checks, failed('chat template', error)] };
  }
}

function modelCheck(model: string | undefined, { models, version }: VllmInspection): Check {
  const served = models.map(({ id }) => id);
  const suffix = version === undefined ? '' : ` (vLLM ${version})`;
  if (model !== undefined && served.includes(model)) return ready('vLLM', `serves ${model}${suffix}`);
  const names = served.join(', ') || 'no model';
  return missing(
    'vLLM',
    `serves ${names}, not ${model ?? 'a base model'}${suffix}`,
    `Start vLLM with --served-model-name ${model ?? 'NAME'}, or choose a served model with --model.`,
  );
}

function endpointCheck({ routes }: VllmInspection): Check {
  const paths = { render: '/v1/chat/completions/render', generate: '/inference/v1/generate' };
  const absent = (['render', 'generate'] as const).filter((name) => !routes[name]).map((name) => paths[name]);
  if (absent.length === 0) return ready('token endpoints', 'renders prompts and samples by tokens');
  return missing(
    'token endpoints',
    `no ${absent.join(' and no ')}`,
    'Start vLLM 0.30 or later with --enable-scale-out.',
  );
}

export const adapterFix =
  'Start vLLM with --enable-lora and the environment VLLM_ALLOW_RUNTIME_LORA_UPDATING=True. SkyRL needs /skyrl/v1/load_lora_adapter: let it start its own vLLM, or map that route to /v1/load_lora_adapter by a proxy.';

function adapterCheck({ routes, loadsAdapters }: VllmInspection): Check {
  if (routes.skyrlLoadAdapter) return ready('LoRA loading', 'SkyRL can load adapters');
  if (!routes.loadAdapter) return missing('LoRA loading', 'no /v1/load_lora_adapter', adapterFix);
  if (!loadsAdapters) return missing('LoRA loading', 'LoRA is not enabled', adapterFix);
  return optional(
    'LoRA loading',
    'loads adapters at run time; no /skyrl/v1/load_lora_adapter',
    'For SkyRL, let it start its own vLLM, or map that route to /v1/load_lora_adapter by a proxy.',
  );
}

async function pictureChecks(
  server: VllmServer,
  texts: Awaited<ReturnType<typeof chatTexts>>,
): Promise<{ readonly checks: Check[]; readonly chat?: ChatProbe }> {
  let chat: ChatProbe;
  try {
    chat = await chatProbe(server, texts);
  } catch (error) {
    return { checks: [failed('pictures rendered', error, 'serve a vision-language model, such as Qwen2.5-VL')] };
  }
  const rendered = ready('pictures rendered', `${grouped(chat.pictureLength)} tokens for 224x224 pixels`);
  return { checks: [rendered, pixelCheck(chat.pixels)], chat };
}

function pixelCheck(pixels: string | undefined): Check {
  if (pixels === undefined) {
    return optional('pixels', 'unknown: the rendered data has an unknown form', `If the gap is large: ${normaliseFix}`);
  }
  if (/^u?int/.test(pixels)) {
    const finding = `raw (${pixels}, 0 to 255): SkyRL trains on them without normalising`;
    return missing('pixels', finding, `${normaliseFix} Publish once before the first training step.`);
  }
  return ready('pixels', `normalised (${pixels})`);
}

/** A policy that samples such a token corrupts its later prompts. */
async function visionTokenCheck(server: VllmServer, { pictureToken }: ChatProbe): Promise<Check> {
  try {
    if ((await server.visionTokens()).includes(pictureToken)) {
      return ready('vision tokens', `are known, and never sampled (${pictureToken} stands for pictures)`);
    }
  } catch (error) {
    return failed('vision tokens', error);
  }
  return optional(
    'vision tokens',
    `${pictureToken} stands for pictures, and is not among the names that gyre knows`,
    `Forbid it in sampling: VllmSampler's option forbidden: [${pictureToken}].`,
  );
}

async function severalCheck(server: VllmServer): Promise<Check> {
  const name = 'pictures per prompt';
  try {
    const part = promptPicture((await plainPicture('blue')).png);
    await server.render([{ role: 'user', content: new Array<typeof part>(screenshots).fill(part) }], { ask: true });
    return ready(name, `at least ${screenshots}`);
  } catch (error) {
    return failed(name, error, `start vLLM with --limit-mm-per-prompt '{"image": ${screenshots}}'`);
  }
}

async function contextCheck(server: VllmServer, maxLength: number | undefined): Promise<Check> {
  const name = 'context length';
  let tokens: number;
  try {
    const { png } = await plainPicture('blue', screen);
    const { pictures } = await server.render([{ role: 'user', content: [promptPicture(png)] }], { ask: true });
    tokens = pictures[0]?.length ?? 0;
  } catch (error) {
    return failed(name, error);
  }
  const needed = screenshots * tokens + otherTokens;
  const sum = `${screenshots} screenshots of 1280x720 x ${grouped(tokens)} tokens + ${grouped(otherTokens)} for text and answer = ${grouped(needed)}`;
  if (maxLength === undefined)
    return optional(name, `unknown; ${sum}`, `Check that --max-model-len is at least ${needed}.`);
  if (needed <= maxLength) return ready(name, `${sum} of ${grouped(maxLength)}`);
  const fix = `Start vLLM with --max-model-len ${needed}, or show fewer or smaller screenshots.`;
  return missing(name, `${sum}, more than ${grouped(maxLength)}`, fix);
}
