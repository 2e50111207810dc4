import { type ChatMessage, ChatModel, type ChatModelOptions } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';

/** Options of a judge model behind an OpenAI-compatible server. */
export type JudgeOptions = Pick<ChatModelOptions, 'url' | 'model' | 'apiKey' | 'timeoutMs' | 'retries'>;

/** Caches what was detected about a server per options object, which may serve many judgements. */
const models = new WeakMap<JudgeOptions, ChatModel>();

/** Attempts to get a readable verdict. */
const mostReplies = 3;

/**
 * Asks a judge model until its reply can be parsed.
 *
 * @param read parses the verdict; undefined if the reply has none. `wanted` describes a valid reply in the error.
 * @throws GyreError `infra` if the server keeps failing or the model gives no verdict: neither counts as a verdict.
 * @throws GyreError `bad_input` if the server refuses: a wrong key, an unknown model.
 */
export async function judgement<V>(
  options: JudgeOptions,
  messages: readonly ChatMessage[],
  read: (text: string) => V | undefined,
  wanted: string,
): Promise<{ verdict: V; text: string }> {
  const model = models.get(options) ?? new ChatModel({ ...options, tokens: false });
  models.set(options, model);
  let text = '';
  for (let seed = 0; seed < mostReplies; seed++) {
    ({ text } = await model.complete(messages, seed));
    const verdict = read(text);
    if (verdict !== undefined) return { verdict, text };
  }
  throw new GyreError('infra', `the judge at ${options.url} says ${JSON.stringify(text.slice(0, 200))}`, {
    field: 'model',
    part: 'model_server',
    fix: `use a model that follows instructions: ${wanted}`,
  });
}
