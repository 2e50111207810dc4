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
import { conversation, firstShown, mostShown } from '../../language/conversation.js';
import type { MemoryFile } from '../../memory/memoryFile.js';
import { type PromptMode, systemPrompt, type Thinking } from '../../language/prompt.js';
import { endQuestion, firstWhole, lengthOf, type Recollection, spanQuestion } from '../../memory/recollection.js';
import { spokenTurn } from '../../language/spokenTurn.js';

export interface EndpointOptions extends Omit<ChatModelOptions, 'thinks'> {
  /** Default `t5`. */
  readonly format?: TurnFormatName | undefined;
  /** Default `gui`. */
  readonly mode?: PromptMode | undefined;
  /** Default `efficient`. */
  readonly thinking?: Thinking | undefined;
  /** Minimum shown screenshots. Default 5. */
  readonly kept?: number | undefined;
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

interface Kept extends Recollection {
  spans: Recollection['spans'];
  asked: number;
  /** With the first shown screenshot. */
  last?: SampledAfter & { readonly first: number };
  /** Set if the server refused more. */
  shown?: number;
}

interface Talk {
  readonly format: TurnFormat;
  readonly messages: readonly ChatMessage[];
  readonly sampled: readonly (readonly number[] | undefined)[];
}

const mostKept = 4096;

const mostEarlier = 5;

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
    kept: shown = 5,
    remember = Infinity,
    memory,
  } = options;
  const { tokenPrompt = false } = options;
  if (!(remember === Infinity || (Number.isInteger(remember) && remember > 0))) {
    throw new GyreError('bad_input', `remember is ${remember}`, {
      field: 'remember',
      fix: 'give the number of characters after which turns are summed up, such as 8000',
    });
  }
  // Otherwise the prompt guides the model.
  const thinks = thinking === 'unrestricted' ? true : thinking === 'none' ? false : undefined;
  const chat = new ChatModel({ ...options, thinks });
  const tokenModel = new TokenModel({ ...options, thinks });
  const counts: EndpointCounts = {
    ...{ turns: 0, malformed: 0, promptTokens: 0, cachedTokens: 0 },
    ...{ drifted: 0, followed: 0, summaries: 0, unsummed: 0, narrowed: 0 },
  };
  let narrow: string | undefined;
  const episodes = new Map<string, Kept>();

  const keptOf = (episodeId: string): Kept => {
    const known = episodes.get(episodeId) ?? { earlier: memory?.latest(mostEarlier) ?? [], spans: [], asked: 0 };
    episodes.delete(episodeId);
    episodes.set(episodeId, known);
    const [oldest] = episodes.keys();
    if (episodes.size > mostKept && oldest !== undefined) episodes.delete(oldest);
    return known;
  };

  const follow = (episode: Kept, first: number, { promptTokens: prompt, tokens }: ModelCompletion): void => {
    if (!prompt || !tokens) return;
    const { last } = episode;
    // Dropping screenshots rewrites the prompt.
    if (last?.first === first && last.prompt.length + last.tokens.length <= prompt.length) {
      counts.followed++;
      if (keptTokens(last, prompt) < last.prompt.length + last.tokens.length) counts.drifted++;
    }
    episode.last = { first, prompt, tokens };
  };

  const talk = (context: Context): Talk => {
    const { screenshots, episodeId, task, turns } = context;
    const format = turnFormat(name, screenshots.at(-1)?.size ?? task.screen);
    const { surfaces, tools } = task;
    const system = systemPrompt({ format: name, mode, thinking, surfaces, ...(tools && { tools }) });
    const recollection = keptOf(episodeId);
    return {
      format,
      messages: conversation(context, { system, format, kept: recollection.shown ?? shown, recollection }),
      // Another policy's samples are not this model's tokens.
      sampled: turns
        .slice(firstWhole(recollection))
        .map(({ text, sample }) => (text === undefined ? undefined : sample?.tokens)),
    };
  };

  const seedOf = ({ random }: Context): number => Math.floor(random() * 2 ** 31);

  const complete = (
    { messages, sampled }: Omit<Talk, 'format'>,
    { signal }: Context,
    seed: number,
  ): Promise<ModelCompletion> =>
    tokenPrompt ? tokenModel.complete(messages, seed, { sampled, signal }) : chat.complete(messages, seed, signal);

  /** After a refusal, retries with half of the screenshots, for the rest of the episode. */
  const answered = async (context: Context): Promise<{ told: Talk; completion: ModelCompletion }> => {
    const seed = seedOf(context);
    const episode = keptOf(context.episodeId);
    const before = episode.shown;
    for (;;) {
      const told = talk(context);
      try {
        const completion = await complete(told, context, seed);
        if (before === undefined && episode.shown !== undefined) counts.narrowed++;
        return { told, completion };
      } catch (error) {
        const pictures = picturesIn(told.messages);
        if (!(error instanceof ModelRefusal) || !error.ofRequest || pictures < 2) {
          // A single image has another cause.
          if (before === undefined) delete episode.shown;
          throw error;
        }
        narrow ??= error.message;
        episode.shown = Math.max(1, Math.floor(Math.min(episode.shown ?? shown, pictures) / 2));
      }
    }
  };

  /** Undefined if empty or failed; the turns then stay. */
  const summed = async (
    { messages, sampled, format }: Talk,
    question: string,
    context: Context,
  ): Promise<string | undefined> => {
    try {
      const asked: ChatMessage[] = [...messages, { role: 'user', content: question }];
      const { text } = await complete({ messages: asked, sampled }, context, seedOf(context));
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

  /** While the turns are still cached. */
  const closeSpan = async (
    context: Context,
    { messages, sampled, format }: Talk,
    { text, tokens }: ModelCompletion,
  ) => {
    const { turns, task, episodeId } = context;
    const episode = keptOf(episodeId);
    const from = firstWhole(episode);
    const to = Math.min(firstShown(turns.length + 2, episode.shown ?? shown), turns.length);
    if (to <= episode.asked || turns.length + 1 >= task.stepBudget) return;
    if (lengthOf(turns.slice(from, to)) <= remember) return;
    episode.asked = to;
    const said: Talk = {
      format,
      messages: [...messages, { role: 'assistant', content: text }],
      sampled: [...sampled, tokens],
    };
    const summary = await summed(said, spanQuestion({ from, to }), context);
    if (summary !== undefined) episode.spans = [...episode.spans, { from, to, summary }];
  };

  return {
    name: options.model,
    screenshots: mostShown(shown),
    counts,
    get notes() {
      const told = `${counts.narrowed} episodes were shown fewer screenshots, since the server refused as many (${narrow ?? ''})`;
      return [...chat.notes, ...(counts.narrowed > 0 ? [told] : [])];
    },
    async decide(context) {
      const { turns, episodeId } = context;
      const episode = keptOf(episodeId);
      const { told, completion } = await answered(context);
      const { format } = told;
      counts.turns++;
      counts.promptTokens += completion.promptLength;
      counts.cachedTokens += completion.cachedLength;
      // Omit the vocabulary: training could not rebuild this prompt from the turns.
      const sample = sampleOf(completion, { model: options.model }, sampledTurn(turns.at(-1), episode.last));
      follow(episode, firstShown(turns.length + 1, episode.shown ?? shown), completion);
      const { text, thought, parsed } = spokenTurn(format, completion);
      const said = { text, ...(thought !== undefined && { thought }), ...(sample && { sample }) };
      const { cut, stoppedBy } = completion;
      // Never guess a truncated answer.
      const isRead = parsed.ok && !(cut && parsed.notices);
      const last = parsed.ok && parsed.actions.some(({ type }) => type === 'finished' || type === 'call_user');
      if (!last && remember !== Infinity) await closeSpan(context, told, completion);
      if (isRead) {
        const { actions, notices } = parsed;
        return { ...said, actions, ...(notices && { notices }) };
      }
      counts.malformed++;
      const { message, at } = parsed.ok ? { message: parsed.notices?.join('; ') ?? '', at: text.length } : parsed.error;
      const why = [
        ...(text.trim() === '' ? [' The answer holds no text.'] : []),
        ...(cut ? [' The answer was cut off: it was too long.'] : []),
        ...(stoppedBy === undefined ? [] : [` The server ended the answer: ${stoppedBy.slice(0, 100)}.`]),
      ];
      return { ...said, actions: [], refused: `not understood: ${message} (at character ${at}).${why.join('')}` };
    },
    ...(memory && {
      async conclude(context, end) {
        const summary = await summed(talk(context), endQuestion(end), context);
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

/** Undefined unless from the previous turn. */
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
