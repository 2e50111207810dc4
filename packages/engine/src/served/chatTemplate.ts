import { createHash } from 'node:crypto';
import { GyreError } from '@gyre/protocol';
import type { ChatMessage } from './chatModel.js';
import { promptBody } from './promptPicture.js';
import type { PlacedPicture, RenderedPrompt } from './renderedPrompt.js';
import type { VllmServer } from './vllmServer.js';

type Kind = 'head' | 'rest' | 'closed' | 'plain';

const maxParts = 2048;

/** Precedes messages rendered alone: templates treat the start of a conversation differently. */
const opening: readonly ChatMessage[] = [{ role: 'user', content: '.' }];

const silence: ChatMessage = { role: 'assistant', content: '' };

export interface ChatTemplateOptions {
  readonly server: VllmServer;
  /** Sets `enable_thinking` of the chat template. Default: the model's. */
  readonly thinks?: boolean | undefined;
}

export interface ConversationOptions {
  /** Ids of each assistant message; undefined if another policy wrote it. */
  readonly sampled: readonly (readonly number[] | undefined)[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Renders conversations by the template of a vLLM server. Prompts repeat the sampled ids of earlier answers, which
 * retokenization could change. Each message is rendered once.
 */
export class ChatTemplate {
  readonly #options: ChatTemplateOptions;
  readonly #parts = new Map<string, Promise<RenderedPrompt>>();

  constructor(options: ChatTemplateOptions) {
    this.#options = options;
  }

  /** @param messages starts with no assistant message and ends with the user's */
  async prompt(messages: readonly ChatMessage[], { sampled, signal }: ConversationOptions): Promise<RenderedPrompt> {
    const ids: number[] = [];
    const pictures: PlacedPicture[] = [];
    const add = (part: RenderedPrompt): void => {
      // The server ends an untruncated answer with the end-of-message token.
      const skipped = ids.length > 0 && ids.at(-1) === part.ids[0] ? 1 : 0;
      for (const picture of part.pictures) {
        pictures.push({ ...picture, offset: picture.offset + ids.length - skipped });
      }
      ids.push(...part.ids.slice(skipped));
    };
    const answers = [...messages.keys()].filter((index) => messages[index]?.role === 'assistant');
    const bounds = [...answers, messages.length];
    const saidBy = (index: number) => messages.slice((answers[index] ?? 0) + 1, bounds[index + 1]);
    const parts = await Promise.all([
      this.#part('head', messages.slice(0, bounds[0]), signal),
      ...answers.map((_, index) => this.#part('rest', [silence, ...saidBy(index)], signal)),
    ]);
    add(parts[0]);
    for (const [index, messageIndex] of answers.entries()) {
      ids.push(...(sampled[index] ?? (await this.answer(messages[messageIndex]!, signal))));
      add(parts[index + 1]!);
    }
    return { ids, pictures };
  }

  /** Renders an assistant's message, without the tokens around it. */
  async answer(message: ChatMessage, signal?: AbortSignal): Promise<readonly number[]> {
    const end = await this.#part('closed', [silence], signal);
    const whole = await this.#part('closed', [message], signal);
    return whole.ids.slice(0, whole.ids.length - end.ids.length);
  }

  /** Returns the token that ends an answer, such as `<|im_end|>`; undefined for a template without one. */
  async endToken(signal?: AbortSignal): Promise<number | undefined> {
    return (await this.#part('closed', [silence], signal)).ids[0];
  }

  /** Drops everything rendered, with pictures that the server may have evicted. */
  forget(): void {
    this.#parts.clear();
  }

  /**
   * `head` starts a conversation, `rest` continues it and prompts for an answer, `closed` only continues. `plain` is a
   * head without the thinking mark that templates add before new answers.
   */
  #part(kind: Kind, messages: readonly ChatMessage[], signal: AbortSignal | undefined): Promise<RenderedPrompt> {
    const key = `${kind} ${createHash('sha256').update(promptBody(messages)).digest('base64')}`;
    const known = this.#parts.get(key);
    this.#parts.delete(key);
    const part = known ?? this.#render(kind, messages, signal);
    this.#parts.set(key, part);
    part.catch(() => this.#parts.delete(key));
    const [oldest] = this.#parts.keys();
    if (this.#parts.size > maxParts && oldest !== undefined) this.#parts.delete(oldest);
    return part;
  }

  async #render(
    kind: Kind,
    messages: readonly ChatMessage[],
    signal: AbortSignal | undefined,
  ): Promise<RenderedPrompt> {
    const { server } = this.#options;
    const thinks = kind === 'plain' ? undefined : this.#options.thinks;
    if (kind === 'head' || kind === 'plain') return server.render(messages, { ask: true, thinks, signal });
    const before = (await this.#part('plain', opening, signal)).ids;
    const ask = kind === 'rest';
    const { ids, pictures } = await server.render([...opening, ...messages], { ask, thinks, signal });
    if (before.some((id, index) => ids[index] !== id)) {
      throw new GyreError('bad_input', "the model's chat template rewrites earlier messages", {
        field: 'tokens',
        fix: 'serve the model with another template, or omit --token-prompt to send texts',
      });
    }
    const from = before.length;
    return {
      ids: ids.slice(from),
      pictures: pictures.map((picture) => ({ ...picture, offset: picture.offset - from })),
    };
  }
}
