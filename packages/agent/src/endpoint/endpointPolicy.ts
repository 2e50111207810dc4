import { type Sample, type TurnFormatName, turnFormat } from '@gyre/protocol';
import { ChatModel, type ChatModelOptions, type Completion } from '@gyre/engine';
import type { Policy } from '../policy.js';
import { conversation, firstShown, mostShown } from './conversation.js';
import { type PromptMode, systemPrompt, type Thinking } from './prompt.js';

export interface EndpointOptions extends ChatModelOptions {
  /** How the model prints turns. Default `t5`. */
  readonly format?: TurnFormatName | undefined;
  /** Default `gui`. */
  readonly mode?: PromptMode | undefined;
  /** Default `efficient`. */
  readonly thinking?: Thinking | undefined;
  /** The fewest screenshots that it sees, of an episode that has as many. Default 5. */
  readonly kept?: number | undefined;
}

/** What has happened at an endpoint. */
export interface EndpointCounts {
  turns: number;
  /** Answers that were no turn of the format. */
  malformed: number;
  promptTokens: number;
  /** Of the prompt tokens, those that the server had cached. */
  cachedTokens: number;
  /** Turns whose sampled tokens were not the same in the prompt after them: to train on those would be wrong. */
  drifted: number;
  /** Turns for which that could be seen. */
  followed: number;
}

export interface EndpointPolicy extends Policy {
  /** The most screenshots that it looks at: what the loop has to keep. */
  readonly screenshots: number;
  readonly counts: Readonly<EndpointCounts>;
}

/** Episodes whose last prompt is remembered. */
const mostFollowed = 4096;

/**
 * A model behind an OpenAI-compatible server as a policy. What it prints is parsed and never mended: an answer that is no turn
 * is a turn without actions, whose observation says what was wrong. Tokens are kept as the server sampled them.
 */
export function endpointPolicy(options: EndpointOptions): EndpointPolicy {
  const { format: name = 't5', mode = 'gui', thinking = 'efficient', kept = 5 } = options;
  const model = new ChatModel(options);
  const counts: EndpointCounts = { turns: 0, malformed: 0, promptTokens: 0, cachedTokens: 0, drifted: 0, followed: 0 };
  const last = new Map<string, { first: number; tokens: readonly number[] }>();

  const follow = (episodeId: string, first: number, { promptTokens, tokens }: Completion): void => {
    if (!promptTokens || !tokens) return;
    const before = last.get(episodeId);
    // Where screenshots have left the prompt, it is another one.
    if (before?.first === first && before.tokens.length <= promptTokens.length) {
      counts.followed++;
      if (before.tokens.some((token, index) => token !== promptTokens[index])) counts.drifted++;
    }
    last.delete(episodeId);
    last.set(episodeId, { first, tokens: [...promptTokens, ...tokens] });
    const [oldest] = last.keys();
    if (last.size > mostFollowed && oldest !== undefined) last.delete(oldest);
  };

  return {
    name: options.model,
    screenshots: mostShown(kept),
    counts,
    async decide(context) {
      const { screenshots, turns, random, episodeId, task } = context;
      const format = turnFormat(name, screenshots.at(-1)?.size ?? task.screen);
      const { surfaces, tools } = task;
      const system = systemPrompt({ format: name, mode, thinking, surfaces, ...(tools && { tools }) });
      const messages = conversation(context, { system, format, kept });
      const completion = await model.complete(messages, Math.floor(random() * 2 ** 31));
      counts.turns++;
      counts.promptTokens += completion.promptLength;
      counts.cachedTokens += completion.cachedLength;
      follow(episodeId, firstShown(turns.length + 1, kept), completion);
      const { text } = completion;
      const sample = sampleOf(completion);
      const said = { text, ...(sample && { sample }) };
      const parsed = format.parse(text);
      if (parsed.ok)
        return { ...said, ...(parsed.thought !== undefined && { thought: parsed.thought }), actions: parsed.actions };
      counts.malformed++;
      const { message, at } = parsed.error;
      const cut = completion.cut ? ' The answer was cut off: it was too long.' : '';
      return { ...said, actions: [], refused: `not understood: ${message} (at character ${at}).${cut}` };
    },
  };
}

/** What was sampled, where the server gave all of it. */
export function sampleOf({
  tokens,
  logprobs,
  policyVersion,
}: Pick<Completion, 'tokens' | 'logprobs' | 'policyVersion'>): Sample | undefined {
  return tokens && logprobs && { tokens: [...tokens], logprobs: [...logprobs], policyVersion };
}
