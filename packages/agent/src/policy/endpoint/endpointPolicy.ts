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
  /** How the model prints turns. Default `t5`. */
  readonly format?: TurnFormatName | undefined;
  /** Default `gui`. */
  readonly mode?: PromptMode | undefined;
  /** Default `efficient`. */
  readonly thinking?: Thinking | undefined;
  /** The fewest screenshots that it sees, of an episode that has as many. Default 5. */
  readonly kept?: number | undefined;
  /**
   * When the turns whose screenshots leave the prompt have more characters than this, the model is asked to sum them up, and the summary
   * stands in their place from then on. Default: they stay.
   */
  readonly remember?: number | undefined;
  /**
   * The model is given tokens, not texts: what it has sampled stays in its prompt as it was sampled. For a vLLM that
   * renders and generates by tokens. Default false.
   */
  readonly tokenPrompt?: boolean | undefined;
  /** Where it writes what it remembers of each task, and has it from: it is shown the newest five. Default: none. */
  readonly memory?: MemoryFile | undefined;
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
  /** Spans and tasks that it has summed up, each in a call that is no turn; those calls are in no other count. */
  summaries: number;
  /** Of which it should have, and gave no summary or failed. */
  unsummed: number;
  /** Episodes in which it was shown fewer screenshots, because its server refused as many. */
  narrowed: number;
}

export interface EndpointPolicy extends Policy {
  /** The most screenshots that it looks at: what the loop has to keep. */
  readonly screenshots: number;
  readonly counts: Readonly<EndpointCounts>;
  /** What its server refuses, and what it is sent instead: a line each. */
  readonly notes: readonly string[];
}

/** What is kept of an episode from turn to turn. */
interface Kept extends Recollection {
  spans: Recollection['spans'];
  /** The first turn that was not yet to be summed up. */
  asked: number;
  /** The last prompt and answer, and the first screenshot that it showed. */
  last?: SampledAfter & { readonly first: number };
  /** The fewest screenshots that it is shown, where its server refused as many as it should be. */
  shown?: number;
}

/** What a model is told. */
interface Talk {
  readonly format: TurnFormat;
  readonly messages: readonly ChatMessage[];
  /** Of each message of the assistant, the ids that it sampled; undefined where it did not. */
  readonly sampled: readonly (readonly number[] | undefined)[];
}

/** Episodes of which something is kept, at most. */
const mostKept = 4096;

/** Memories of earlier tasks in a prompt, at most. */
const mostEarlier = 5;

/**
 * A model behind an OpenAI-compatible server as a policy. What it prints is read in every form that the format's public readers take, and
 * the observation says what it was taken for; an answer that is no turn is a turn without actions, whose observation says what was wrong.
 * What the server tells apart from the text is read too: thoughts and calls. Tokens are kept as the server sampled them.
 *
 * @throws GyreError `bad_input` if `remember` is not a positive integer, or the address none.
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
  // A model that only its prompt tells how much to think decides by itself whether to.
  const thinks = thinking === 'unrestricted' ? true : thinking === 'none' ? false : undefined;
  const chat = new ChatModel({ ...options, thinks });
  const tokenModel = new TokenModel({ ...options, thinks });
  const counts: EndpointCounts = {
    ...{ turns: 0, malformed: 0, promptTokens: 0, cachedTokens: 0 },
    ...{ drifted: 0, followed: 0, summaries: 0, unsummed: 0, narrowed: 0 },
  };
  /** Why a server refused several screenshots for the first time. */
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
    // Where screenshots have left the prompt, it is another one.
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
      // What another policy has sampled is none of this one's tokens: its text is not there either.
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

  /**
   * What the model answers. A server that refuses a prompt may take no more than one picture, or have no room for as many: it is asked again
   * with half of them, and so on, and the rest of the episode is shown no more than it took.
   */
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
          // What refuses one picture as well refuses something else.
          if (before === undefined) delete episode.shown;
          throw error;
        }
        narrow ??= error.message;
        episode.shown = Math.max(1, Math.floor(Math.min(episode.shown ?? shown, pictures) / 2));
      }
    }
  };

  /** What the model says to a question for a summary; undefined where it says nothing, or fails: the turns are then as they were. */
  const summed = async (
    { messages, sampled, format }: Talk,
    question: string,
    context: Context,
  ): Promise<string | undefined> => {
    try {
      const asked: ChatMessage[] = [...messages, { role: 'user', content: question }];
      const { text } = await complete({ messages: asked, sampled }, context, seedOf(context));
      const turn = format.parse(text);
      // A model that knows nothing but turns answers with one: its thought is what it has to say, unless it just answers.
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

  /** Sums up the turns whose screenshots the next prompt leaves out, while this one still shows them and the server has it cached. */
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
      const told = `${counts.narrowed} episodes were shown fewer screenshots, since the server refused as many (${narrow})`;
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
      // Without a vocabulary even if the server tells its own: its prompt is not the one that training makes of the turns.
      const sample = sampleOf(completion, { model: options.model }, sampledTurn(turns.at(-1), episode.last));
      follow(episode, firstShown(turns.length + 1, episode.shown ?? shown), completion);
      const { text, thought, parsed } = spokenTurn(format, completion);
      const said = { text, ...(thought !== undefined && { thought }), ...(sample && { sample }) };
      const { cut, stoppedBy } = completion;
      // What is guessed of an answer that was cut off would be of another turn than the model began.
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

/** What was asked last, if that is the turn before: not so where another policy has played it, or nothing was kept. */
function sampledTurn(
  turn: Context['turns'][number] | undefined,
  last: SampledAfter | undefined,
): SampledAfter | undefined {
  const tokens = turn?.sample?.prompt && turn.sample.tokens;
  return tokens && last && equalTokens(tokens, last.tokens) ? last : undefined;
}

const equalTokens = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((token, index) => token === b[index]);

/** Returns the sample of a completion, where the server gave all of it; of its prompt the part that is new since the turn `before`. */
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
