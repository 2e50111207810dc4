import {
  GyreError,
  keptTokens,
  promptTokens,
  type Sample,
  type SampledAfter,
  type TurnFormat,
  type TurnFormatName,
  turnFormat,
} from '@gyre/protocol';
import {
  type ChatMessage,
  ChatModel,
  type ChatModelOptions,
  type ModelCompletion,
  ModelRefusal,
  TokenModel,
} from '@gyre/engine';
import type { Context, Policy } from '../policy.js';
import { conversation, firstShown, maxShown } from '../../language/conversation.js';
import type { MemoryFile } from '../../memory/memoryFile.js';
import { type PromptMode, systemPrompt, type Thinking, thinksIn } from '../../language/prompt.js';
import { endQuestion, firstWhole, lengthOf, type Recollection, spanQuestion } from '../../memory/recollection.js';
import { answeredDecision } from '../../language/answeredDecision.js';

export interface EndpointOptions extends Omit<ChatModelOptions, 'thinks'> {
  /** Default `t5`. */
  readonly format?: TurnFormatName | undefined;
  /** Default `gui`. */
  readonly mode?: PromptMode | undefined;
  /** Default `efficient`. */
  readonly thinking?: Thinking | undefined;
  /** Minimum shown screenshots. Default 5. */
  readonly minScreenshots?: number | undefined;
  /** Summarises turns without screenshots beyond this many characters. Default: never. */
  readonly remember?: number | undefined;
  /** Prompts with tokens, preserving samples exactly. Requires vLLM. Default false. */
  readonly tokenPrompt?: boolean | undefined;
  /** Stores task summaries; prompts show the newest five. */
  readonly memory?: MemoryFile | undefined;
}

export interface EndpointCounts {
  turns: number;
  malformed: number;
  promptTokens: number;
  cachedTokens: number;
  answerTokens: number;
  /** Sampled tokens changed in the next prompt: invalid for training. */
  drifted: number;
  /** Checked for drift. */
  followed: number;
  /** Excluded from other counts. */
  summaries: number;
  /** Empty or failed summaries. */
  unsummed: number;
  /** The server refused more screenshots. */
  narrowed: number;
}

export interface EndpointPolicy extends Policy {
  readonly screenshots: number;
  readonly counts: Readonly<EndpointCounts>;
  /** Refused parameters and their replacements. */
  readonly notes: readonly string[];
}

interface EpisodeState extends Recollection {
  spans: Recollection['spans'];
  firstUnsummarised: number;
  /** With the first shown screenshot. */
  last?: SampledAfter & { readonly first: number };
  /** Set if the server refused more. */
  narrowedTo?: number;
}

interface Prompt {
  readonly format: TurnFormat;
  readonly messages: readonly ChatMessage[];
  readonly sampled: readonly (readonly number[] | undefined)[];
}

const maxEpisodes = 4096;

const maxEarlier = 5;

/**
 * Plays a model behind an OpenAI-compatible server. Accepts every syntax of the format's public parsers and reports
 * deviations; a malformed answer is a turn without actions.
 *
 * @throws GyreError `bad_input` for an invalid `remember` or address
 */
export function endpointPolicy(options: EndpointOptions): EndpointPolicy {
  const {
    format: name = 't5',
    mode = 'gui',
    thinking = 'efficient',
    minScreenshots = 5,
    remember = Infinity,
    memory,
  } = options;
  const { tokenPrompt = false } = options;
  if (!(remember === Infinity || (Number.isInteger(remember) && remember > 0))) {
    throw new GyreError('bad_input', `the value ${remember} of remember is invalid`, {
      field: 'remember',
      fix: 'use the number of characters after which turns are summarised, such as 8000',
    });
  }
  const thinks = thinksIn(thinking);
  const chat = new ChatModel({ ...options, thinks });
  const tokenModel = new TokenModel({ ...options, thinks });
  const counts: EndpointCounts = {
    ...{ turns: 0, malformed: 0, promptTokens: 0, cachedTokens: 0, answerTokens: 0 },
    ...{ drifted: 0, followed: 0, summaries: 0, unsummed: 0, narrowed: 0 },
  };
  let narrow: string | undefined;
  const episodes = new Map<string, EpisodeState>();

  const stateOf = (episodeId: string): EpisodeState => {
    const known = episodes.get(episodeId) ?? {
      earlier: memory?.latest(maxEarlier) ?? [],
      spans: [],
      firstUnsummarised: 0,
    };
    episodes.delete(episodeId);
    episodes.set(episodeId, known);
    const [oldest] = episodes.keys();
    if (episodes.size > maxEpisodes && oldest !== undefined) episodes.delete(oldest);
    return known;
  };

  const follow = (episode: EpisodeState, first: number, { promptTokens: prompt, tokens }: ModelCompletion): void => {
    if (!prompt || !tokens) return;
    const { last } = episode;
    // Dropping screenshots rewrites the prompt.
    if (last?.first === first && last.prompt.length + last.tokens.length <= prompt.length) {
      counts.followed++;
      if (keptTokens(last, prompt) < last.prompt.length + last.tokens.length) counts.drifted++;
    }
    episode.last = { first, prompt, tokens };
  };

  const promptFor = (context: Context): Prompt => {
    const { screenshots, episodeId, task, turns } = context;
    const format = turnFormat(name, screenshots.at(-1)?.size ?? task.screen);
    const { surfaces, tools } = task;
    const system = systemPrompt({ format: name, mode, thinking, surfaces, ...(tools && { tools }) });
    const recollection = stateOf(episodeId);
    return {
      format,
      messages: conversation(context, {
        system,
        format,
        minScreenshots: recollection.narrowedTo ?? minScreenshots,
        recollection,
      }),
      // Another policy's samples are not this model's tokens.
      sampled: turns
        .slice(firstWhole(recollection))
        .map(({ text, sample }) => (text === undefined ? undefined : sample?.tokens)),
    };
  };

  const seedOf = ({ random }: Context): number => Math.floor(random() * 2 ** 31);

  const complete = (
    { messages, sampled }: Omit<Prompt, 'format'>,
    { signal }: Context,
    seed: number,
  ): Promise<ModelCompletion> =>
    tokenPrompt ? tokenModel.complete(messages, seed, { sampled, signal }) : chat.complete(messages, seed, signal);

  /** Retries a refusal with half of the screenshots, for the rest of the episode. */
  const answered = async (context: Context): Promise<{ prompt: Prompt; completion: ModelCompletion }> => {
    const seed = seedOf(context);
    const episode = stateOf(context.episodeId);
    const before = episode.narrowedTo;
    for (;;) {
      const prompt = promptFor(context);
      try {
        const completion = await complete(prompt, context, seed);
        if (before === undefined && episode.narrowedTo !== undefined) counts.narrowed++;
        return { prompt, completion };
      } catch (error) {
        const pictures = picturesIn(prompt.messages);
        if (!(error instanceof ModelRefusal) || !error.concernsRequest || pictures < 2) {
          // A single image has another cause.
          if (before === undefined) delete episode.narrowedTo;
          throw error;
        }
        narrow ??= error.message;
        episode.narrowedTo = Math.max(1, Math.floor(Math.min(episode.narrowedTo ?? minScreenshots, pictures) / 2));
      }
    }
  };

  /** Returns undefined if empty or failed; the turns then stay. */
  const summed = async (
    { messages, sampled, format }: Prompt,
    question: string,
    context: Context,
  ): Promise<string | undefined> => {
    try {
      const withQuestion: ChatMessage[] = [...messages, { role: 'user', content: question }];
      const { text } = await complete({ messages: withQuestion, sampled }, context, seedOf(context));
      const turn = format.parse(text);
      // Some models only print turns.
      const [answer] = turn.ok && turn.notices ? turn.actions : [];
      const summary = (
        !turn.ok ? text : answer?.type === 'finished' ? (answer.answer ?? '') : (turn.thought ?? '')
      ).trim();
      if (summary !== '') {
        counts.summaries++;
        return summary;
      }
    } catch (error) {
      if (!(error instanceof GyreError) && !context.signal?.aborted) throw error;
    }
    counts.unsummed++;
    return undefined;
  };

  /** Summarises turns while they are still cached. */
  const closeSpan = async (
    context: Context,
    { messages, sampled, format }: Prompt,
    { text, tokens }: ModelCompletion,
  ) => {
    const { turns, task, episodeId } = context;
    const episode = stateOf(episodeId);
    const from = firstWhole(episode);
    const to = Math.min(firstShown(turns.length + 2, episode.narrowedTo ?? minScreenshots), turns.length);
    if (to <= episode.firstUnsummarised || turns.length + 1 >= task.stepBudget) return;
    if (lengthOf(turns.slice(from, to)) <= remember) return;
    episode.firstUnsummarised = to;
    const extended: Prompt = {
      format,
      messages: [...messages, { role: 'assistant', content: text }],
      sampled: [...sampled, tokens],
    };
    const summary = await summed(extended, spanQuestion({ from, to }), context);
    if (summary !== undefined) episode.spans = [...episode.spans, { from, to, summary }];
  };

  return {
    name: options.model,
    screenshots: maxShown(minScreenshots),
    counts,
    get notes() {
      const note = `${counts.narrowed} episodes used fewer screenshots because the server rejected more (${narrow ?? ''})`;
      return [...chat.notes, ...(counts.narrowed > 0 ? [note] : [])];
    },
    async decide(context) {
      const { turns, episodeId } = context;
      const episode = stateOf(episodeId);
      const { prompt, completion } = await answered(context);
      const { format } = prompt;
      counts.turns++;
      counts.promptTokens += completion.promptLength;
      counts.cachedTokens += completion.cachedLength;
      counts.answerTokens += completion.answerLength;
      // Omit the vocabulary: training could not rebuild this prompt from the turns.
      const sample = sampleOf(completion, { model: options.model }, sampledTurn(turns.at(-1), episode.last));
      follow(episode, firstShown(turns.length + 1, episode.narrowedTo ?? minScreenshots), completion);
      const decision = answeredDecision(format, completion);
      const { actions, refused } = decision;
      const last = actions.some(({ type }) => type === 'finished' || type === 'call_user');
      if (!last && remember !== Infinity) await closeSpan(context, prompt, completion);
      if (refused !== undefined) counts.malformed++;
      return { ...decision, ...(sample && { sample }) };
    },
    ...(memory && {
      async conclude(context, end) {
        const summary = await summed(promptFor(context), endQuestion(end), context);
        if (summary === undefined) return;
        const { episodeId: episode, task } = context;
        await memory.add({ at: new Date().toISOString(), episode, instruction: task.instruction, end, summary });
      },
    }),
  };
}

function picturesIn(messages: readonly ChatMessage[]): number {
  const isPicture = ({ type }: { readonly type: string }) => type === 'image_url';
  return messages.reduce(
    (sum, { content }) => sum + (Array.isArray(content) ? content.filter(isPicture).length : 0),
    0,
  );
}

/** Returns undefined unless the sample is from the previous turn. */
function sampledTurn(
  turn: Context['turns'][number] | undefined,
  last: SampledAfter | undefined,
): SampledAfter | undefined {
  const tokens = turn?.sample?.prompt && turn.sample.tokens;
  return tokens && last && equalTokens(tokens, last.tokens) ? last : undefined;
}

const equalTokens = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((token, index) => token === b[index]);

/** Returns a complete sample, with the prompt's tokens since the turn `before`. */
export function sampleOf(
  completion: Pick<ModelCompletion, 'tokens' | 'logprobs' | 'policyVersion' | 'promptTokens'>,
  model: { readonly model: string | undefined; readonly vocabulary?: string | undefined },
  before?: SampledAfter,
): Sample | undefined {
  const { tokens, logprobs, policyVersion, promptTokens: prompt } = completion;
  if (!tokens || !logprobs) return undefined;
  return {
    tokens: [...tokens],
    logprobs: [...logprobs],
    policyVersion,
    ...model,
    ...(prompt && { prompt: promptTokens(prompt, before) }),
  };
}
