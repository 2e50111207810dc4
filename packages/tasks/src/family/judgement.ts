import { type ChatMessage, ChatModel, type ChatModelOptions } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';

/** The model that judges, behind a server that speaks OpenAI's chat completions. */
export type JudgeOptions = Pick<ChatModelOptions, 'url' | 'model' | 'apiKey' | 'timeoutMs' | 'retries'>;

/** What was found out of a server stays with its options, which may stand for many judgements. */
const models = new WeakMap<JudgeOptions, ChatModel>();

/** How often a reply without a verdict is asked for again. */
const mostReplies = 3;

/**
 * Asks a model that judges until its reply can be read.
 *
 * @param read the verdict of a reply; undefined where there is none. `wanted` says what a reply has to be, for the error.
 * @throws GyreError `infra` where the server fails after all tries, or the model gives no verdict: that is never a verdict.
 * @throws GyreError `bad_input` where the server refuses: a wrong key, an unknown model.
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
