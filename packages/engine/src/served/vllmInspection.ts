import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { answerBody } from './answerBody.js';
import { parseServerJson, serverMessage } from './serverMessage.js';

export interface InspectionOptions {
  /** With or without `/v1`. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** Per request. Default 20,000. */
  readonly timeoutMs?: number | undefined;
}

const routes = {
  render: '/v1/chat/completions/render',
  generate: '/inference/v1/generate',
  loadAdapter: '/v1/load_lora_adapter',
  /** SkyRL's own vLLM has it. */
  skyrlLoadAdapter: '/skyrl/v1/load_lora_adapter',
} as const;

export interface VllmInspection {
  readonly version: string | undefined;
  readonly models: readonly {
    readonly id: string;
    /** The base model of an adapter. */
    readonly parent: string | undefined;
    /** In tokens. */
    readonly maxLength: number | undefined;
  }[];
  readonly routes: Readonly<Record<keyof typeof routes, boolean>>;
  /** False for a vLLM that was started without `--enable-lora`, though it may have the route. */
  readonly loadsAdapters: boolean;
}

const Models = z.object({
  data: z.array(z.object({ id: z.string(), parent: z.string().nullish(), max_model_len: z.int().nullish() })),
});

const Version = z.object({ version: z.string() });

/**
 * Lists what a vLLM server serves. Empty requests, which an existing route refuses, tell which routes it has.
 *
 * @throws GyreError `infra` if it does not answer, `bad_input` for a refusal or an answer that lists no models
 */
export async function inspectVllm(options: InspectionOptions): Promise<VllmInspection> {
  const root = options.url.replace(/\/+$/, '').replace(/\/v1$/, '');
  if (!URL.canParse(root) || !/^https?:/.test(root)) {
    throw new GyreError('bad_input', `"${options.url}" is not the URL of a vLLM server`, {
      field: 'url',
      fix: 'use a URL such as http://127.0.0.1:8001/v1',
    });
  }
  const { status, text } = await answered(`${root}/v1/models`, options);
  const models = Models.safeParse(parseServerJson(text)).data?.data;
  if (status !== 200 || !models) {
    const isRefused = status === 401 || status === 403;
    throw new GyreError('bad_input', `${root}/v1/models answered ${status}: ${serverMessage(text) || 'nothing'}`, {
      ...{ field: isRefused ? 'apiKey' : 'url', part: 'model_server' },
      fix: isRefused ? 'pass the API key of the server' : 'use the URL of a vLLM server',
    });
  }
  const names = Object.keys(routes) as (keyof typeof routes)[];
  const exist = await Promise.all(
    names.map(async (name) => {
      const answer = await answered(`${root}${routes[name]}`, options, {});
      return [name, answer.status !== 404 && answer.status !== 405] as const;
    }),
  );
  const known = Object.fromEntries(exist) as Record<keyof typeof routes, boolean>;
  const version = await answered(`${root}/version`, options);
  return {
    version: version.status === 200 ? Version.safeParse(parseServerJson(version.text)).data?.version : undefined,
    models: models.map(({ id, parent, max_model_len: length }) => ({
      ...{ id, parent: parent ?? undefined, maxLength: length ?? undefined },
    })),
    routes: known,
    loadsAdapters: known.loadAdapter && (await loadsAdapters(root, options)),
  };
}

/** Asks for an adapter that does not exist: only a server without `--enable-lora` says so before it looks for it. */
async function loadsAdapters(root: string, options: InspectionOptions): Promise<boolean> {
  const adapter = { lora_name: 'gyre-probe', lora_path: '/gyre-probe' };
  const { status, text } = await answered(`${root}${routes.loadAdapter}`, options, adapter);
  if (status === 200) await answered(`${root}/v1/unload_lora_adapter`, options, adapter);
  return !/LoRA is not enabled/i.test(text);
}

async function answered(
  url: string,
  { apiKey, timeoutMs = 20_000 }: InspectionOptions,
  body?: object,
): Promise<{ status: number; text: string }> {
  try {
    const answer = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: answer.status, text: (await answerBody(answer)).toString() };
  } catch (cause) {
    const { message, cause: inner } = cause as { message: string; cause?: { message?: string } };
    throw new GyreError('infra', `no vLLM server answers at ${url} (${inner?.message ?? message})`, {
      ...{ field: 'url', part: 'model_server', cause },
      fix: 'check that it is running',
    });
  }
}
