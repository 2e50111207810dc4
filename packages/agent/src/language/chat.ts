import { createHash } from 'node:crypto';
import { type ChatMessage, ChatTemplate, type Piece, type VllmServer } from '@gyre/engine';
import {
  GyreError,
  type Size,
  type TurnFormatName,
  type TurnMessage,
  turnFormat,
  withoutEndTokens,
} from '@gyre/protocol';
import sharp from 'sharp';
import type { Context, Decision } from '../policy/policy.js';
import { answeredDecision } from './answeredDecision.js';
import { conversation, maxShown } from './conversation.js';
import type { Language } from './language.js';
import { type PromptMode, systemPrompt, type Thinking, thinksIn } from './prompt.js';

export interface ChatLanguageOptions {
  /** Share it with the sampler, so that each picture is rendered and sent once. */
  readonly server: VllmServer;
  /** Default `t5`. */
  readonly format?: TurnFormatName | undefined;
  /** Default `gui`. */
  readonly mode?: PromptMode | undefined;
  /** Default `efficient`. */
  readonly thinking?: Thinking | undefined;
  /** Minimum shown screenshots. Default 5. */
  readonly minScreenshots?: number | undefined;
  /** System prompt of a model that was trained on another. Default: the format's, for mode and thinking. */
  readonly system?: string | undefined;
}

type Options = Required<Omit<ChatLanguageOptions, 'system'>> & Pick<ChatLanguageOptions, 'system'>;

interface Tokenizer {
  readonly vocabulary: string;
  readonly stop: readonly number[];
  readonly pictureToken: number;
}

/** Its ids identify tokenizer and template. */
const probe: readonly ChatMessage[] = [
  { role: 'system', content: 'Printer: naïve 打印机 🙂\n\t0123456789' },
  { role: 'user', content: `Action: click(point='<point>512 37</point>') {"name": "wait"}` },
];

/**
 * Speaks by a vLLM server's own chat template and tokenizer. Prompts repeat earlier answers of the same vocabulary as
 * they were sampled.
 */
export class ChatLanguage implements Language {
  readonly name: string;
  readonly vocabulary: string;
  readonly stop: readonly number[];
  readonly pictureToken: number;
  /** Screenshots that an episode has to keep. */
  readonly screenshots: number;
  readonly #options: Options;
  readonly #template: ChatTemplate;

  private constructor(options: Options, template: ChatTemplate, tokenizer: Tokenizer) {
    this.name = `chat in ${options.format}`;
    this.vocabulary = tokenizer.vocabulary;
    this.stop = tokenizer.stop;
    this.pictureToken = tokenizer.pictureToken;
    this.screenshots = maxShown(options.minScreenshots);
    this.#options = options;
    this.#template = template;
  }

  /**
   * Reads the server's template and tokenizer.
   *
   * @throws GyreError `bad_input` for a model without pictures, or whose pictures are not runs of one token; `infra` if
   *   the server does not answer
   */
  static async open({
    server,
    format = 't5',
    mode = 'gui',
    thinking = 'efficient',
    minScreenshots = 5,
    system,
  }: ChatLanguageOptions): Promise<ChatLanguage> {
    const template = new ChatTemplate({ server, thinks: thinksIn(thinking) });
    const side = { width: 64, height: 64 };
    const png = await sharp({ create: { ...side, channels: 3, background: 'white' } })
      .png()
      .toBuffer();
    const [{ ids }, end, pictureToken] = await Promise.all([
      server.render(probe, { ask: true }),
      template.endToken(),
      server.pictures.pictureToken({ hash: createHash('sha256').update(png).digest('hex'), png, size: side }),
    ]);
    const vocabulary = createHash('sha256').update(JSON.stringify(ids)).digest('hex');
    const tokenizer = { vocabulary, stop: end === undefined ? [] : [end], pictureToken };
    return new ChatLanguage({ server, format, mode, thinking, minScreenshots, system }, template, tokenizer);
  }

  async prompt(context: Context): Promise<Piece[]> {
    const { task, screenshots, turns, signal } = context;
    const { server, format, mode, thinking, minScreenshots, system } = this.#options;
    const { surfaces, tools } = task;
    const messages = conversation(context, {
      system: system ?? systemPrompt({ format, mode, thinking, surfaces, ...(tools && { tools }) }),
      format: turnFormat(format, screenshots.at(-1)?.size ?? task.screen),
      minScreenshots,
    });
    const sampled = turns.map(({ text, sample }) =>
      text !== undefined && sample?.vocabulary === this.vocabulary ? sample.tokens : undefined,
    );
    const rendered = await this.#template.prompt(messages, { sampled, signal });
    const count = rendered.pictures.length;
    return server.pictures.pieces(rendered, count === 0 ? [] : screenshots.slice(-count));
  }

  async parse(tokens: readonly number[], size: Size): Promise<Decision> {
    const { server, format } = this.#options;
    const isWhole = this.stop.includes(tokens.at(-1) ?? -1);
    const text = await server.detokenize(isWhole ? tokens.slice(0, -1) : tokens);
    // Models have further end tokens, such as `<|endoftext|>`.
    const cut = !isWhole && withoutEndTokens(text) === text;
    return answeredDecision(turnFormat(format, size), { text, cut });
  }

  /**
   * Encodes a turn as the template renders it, with the token that ends it.
   *
   * @throws GyreError `bad_input` for a turn that the format cannot express, or that the template changes
   */
  async print(turn: TurnMessage, size: Size): Promise<number[]> {
    const { server, format } = this.#options;
    const content = turnFormat(format, size).print(turn);
    const tokens = await this.encode(content);
    if ((await server.detokenize(tokens)) !== content) {
      throw new GyreError('bad_input', "the model's chat template changes the text of a turn", {
        field: 'turn',
        fix: 'serve the model with another template, or use another format',
      });
    }
    return [...tokens, ...this.stop];
  }

  /** Encodes an assistant's text as the template renders it, without the token that ends it. */
  async encode(text: string): Promise<readonly number[]> {
    return this.#template.answer({ role: 'assistant', content: text });
  }
}
