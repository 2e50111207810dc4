import { parseServerJson, serverMessage } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

const Models = z.array(z.object({ id: z.string() })).min(1);
/** OpenAI's shape, or the bare list. */
const List = z.union([z.object({ data: Models }).transform(({ data }) => data), Models]);

/** @throws GyreError `infra` without an answer within 10 s, `bad_input` for an unexpected one. */
export async function firstServedModel(url: string, apiKey: string | undefined, field = '--model'): Promise<string> {
  const address = `${url.replace(/\/$/, '')}/models`;
  if (!URL.canParse(address)) {
    throw new GyreError('bad_input', `"${url}" is not a URL`, {
      field,
      fix: 'use one such as http://127.0.0.1:8000/v1',
    });
  }
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(10_000) }).catch((cause: unknown) => {
    throw new GyreError('infra', `no model server answers at ${url}`, {
      part: 'model_server',
      field,
      fix: 'check that it runs, or start one with gyre serve model',
      cause,
    });
  });
  const text = await response.text().catch(() => '');
  const [first] = List.safeParse(parseServerJson(text)).data ?? [];
  if (!response.ok || first === undefined) {
    const words = serverMessage(text) || 'nothing';
    throw new GyreError('bad_input', `${address} lists no models; it answered ${response.status}: ${words}`, {
      field,
      fix: `name the model with ${field}-name, or end the URL with /v1`,
    });
  }
  return first.id;
}
