import type { ChatMessage, ChatModelOptions, ModelCompletion } from './chatModel.js';
import { ChatTemplate, type ConversationOptions } from './chatTemplate.js';
import { VllmServer } from './vllmServer.js';

/** Calls vLLM by token ids. Only new messages are rendered, so each picture is sent once. */
export class TokenModel {
  readonly #server: VllmServer;
  readonly #template: ChatTemplate;

  constructor(readonly options: ChatModelOptions) {
    this.#server = new VllmServer(options);
    this.#template = new ChatTemplate({ server: this.#server, thinks: options.thinks });
  }

  /**
   * @param messages starts with no assistant message and ends with the user's
   * @throws GyreError `infra` if every try fails; `bad_input` for a refusal
   */
  async complete(
    messages: readonly ChatMessage[],
    seed: number,
    { sampled, signal }: ConversationOptions,
  ): Promise<ModelCompletion> {
    const { temperature = 0, topP = 1, maxTokens = 1000 } = this.options;
    const answer = await this.#server.generate({
      prompt: () => this.#template.prompt(messages, { sampled, signal }),
      forget: () => this.#template.forget(),
      sampling: { temperature, top_p: topP, max_tokens: maxTokens, seed },
      returnsText: true,
      signal,
    });
    const { prompt, tokens, logprobs, end, weightVersions } = answer;
    const numbers = weightVersions.filter((version) => /^\d{1,15}$/.test(version)).map(Number);
    return {
      text: answer.text ?? (await this.#server.detokenize(end === 'stop' ? tokens.slice(0, -1) : tokens, signal)),
      cut: end === 'length',
      promptTokens: prompt.ids,
      tokens,
      ...(logprobs && { logprobs }),
      promptLength: prompt.ids.length,
      cachedLength: answer.cachedLength,
      answerLength: answer.tokens.length,
      // The oldest version needs the largest correction.
      policyVersion: numbers.length > 0 ? Math.min(...numbers) : 0,
    };
  }
}
