import type { Random } from '../random.js';
import { longestAction, longestThought } from './architecture.js';
import { draw } from './draw.js';
import type { TokenClass } from './grammar.js';
import type { NativeSampleRequest, TokenLogprob } from './nativeEngine.js';
import type { Range, Vocabulary } from './vocabulary.js';

/** A turn while its tokens are drawn. */
export interface TurnDraft {
  readonly request: Pick<NativeSampleRequest, 'temperature' | 'topP' | 'thinks' | 'topLogprobs'>;
  readonly tokens: number[];
  readonly logprobs: number[];
  readonly topLogprobs: (readonly TokenLogprob[])[];
  readonly random: Random;
}

/**
 * Draws the next token of a turn, if it needs one. Returns whether it needs more.
 *
 * @param commands whether the turn may be a command
 * @param logits by number of the vocabulary
 */
export function drawNext(draft: TurnDraft, vocabulary: Vocabulary, commands: boolean, logits: Float32Array): boolean {
  const { request, tokens, logprobs, topLogprobs, random } = draft;
  const { temperature, topP = 1, thinks, topLogprobs: top } = request;
  const tokenClass = nextClass(vocabulary, tokens, commands);
  if (tokenClass) {
    const room = isThinking(vocabulary, tokens) ? longestThought : longestAction;
    const closing = tokens.length >= room - 1 && vocabulary.allows(tokenClass, vocabulary.end);
    const first = tokens.length === 0 ? firstTokens(vocabulary, commands, thinks) : undefined;
    const only = closing ? [singleToken(vocabulary.end)] : first;
    const drawn = draw(logits, vocabulary.ranges(tokenClass), { temperature, topP, random, only, top });
    tokens.push(drawn.token);
    logprobs.push(drawn.logprob);
    topLogprobs.push(drawn.top);
  }
  return nextClass(vocabulary, tokens, commands) !== undefined;
}

/** Returns undefined when the action is complete. */
function nextClass(vocabulary: Vocabulary, tokens: readonly number[], commands: boolean): TokenClass | undefined {
  return tokens.length >= longestAction ? undefined : vocabulary.next(tokens, commands);
}

/** Returns undefined where the policy decides. */
function firstTokens(
  vocabulary: Vocabulary,
  commands: boolean,
  thinks: boolean | undefined,
): readonly Range[] | undefined {
  if (thinks === undefined) return undefined;
  if (thinks) return [singleToken(vocabulary.think)];
  return vocabulary.ranges(commands ? 'functionOrCommand' : 'function');
}

const singleToken = (token: number): Range => ({ first: token, last: token });

function isThinking(vocabulary: Vocabulary, tokens: readonly number[]): boolean {
  return tokens[0] === vocabulary.think && !tokens.includes(vocabulary.end);
}
