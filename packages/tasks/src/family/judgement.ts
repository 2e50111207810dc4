import { type ChatMessage, ChatModel, type ChatModelOptions } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';

/** Options of a judge model behind an OpenAI-compatible server. */
export type JudgeOptions = Pick<ChatModelOptions, 'url' | 'model' | 'apiKey' | 'timeoutMs' | 'retries' | 'maxTokens'>;

/** Caches detected server features per options object. */
const models = new WeakMap<JudgeOptions, ChatModel>();

const maxReplies = 3;

/**
 * Asks a judge model until its reply parses.
 *
 * @param read returns undefined for no verdict. `expected` describes a valid reply in the error.
 * @throws GyreError `infra` if the server fails or gives no verdict, which never counts as one; `bad_input` if it
 * refuses.
 */
export async function judgement<V>(
  options: JudgeOptions,
  messages: readonly ChatMessage[],
  read: (text: string) => V | undefined,
  expected: string,
): Promise<{ verdict: V; text: string }> {
  const model = models.get(options) ?? new ChatModel({ ...options, tokens: false });
  models.set(options, model);
  let text = '';
  for (let seed = 0; seed < maxReplies; seed++) {
    ({ text } = await model.complete(messages, seed));
    const verdict = read(text);
    if (verdict !== undefined) return { verdict, text };
  }
  throw new GyreError('infra', `the judge at ${options.url} gave no verdict: ${JSON.stringify(text.slice(0, 200))}`, {
    field: 'model',
    part: 'model_server',
    fix: `use a model that follows instructions: ${expected}`,
  });
}
