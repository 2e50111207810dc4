import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

const List = z.object({ data: z.array(z.object({ id: z.string() })).min(1) });

/**
 * The first model that an OpenAI-compatible server lists.
 *
 * @param field the flag that names the server.
 * @throws GyreError `infra` where it does not answer within 10 s, and `bad_input` where it answers something else.
 */
export async function servedModel(url: string, apiKey: string | undefined, field = '--model'): Promise<string> {
  const address = `${url.replace(/\/$/, '')}/models`;
  if (!URL.canParse(address)) {
    throw new GyreError('bad_input', `"${url}" is no address`, {
      field,
      fix: 'give one such as http://127.0.0.1:8000/v1',
    });
  }
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(10_000) }).catch((cause: unknown) => {
    throw new GyreError('infra', `no model server answers at ${url}`, {
      field,
      fix: 'see whether it runs; gyre serve model starts one',
      cause,
    });
  });
  const list = List.safeParse(await response.json().catch(() => undefined));
  const [first] = list.data?.data ?? [];
  if (!response.ok || first === undefined) {
    throw new GyreError('bad_input', `${address} lists no models (status ${response.status})`, {
      field,
      fix: `name the model with ${field}-name, or give the address up to /v1`,
    });
  }
  return first.id;
}
