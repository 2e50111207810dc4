import {
  type NativeEngine,
  type NativeAction,
  type Random,
  type Vocabulary,
  longestAction,
  vocabularyOf,
} from '@gyre/engine';
import type { Point, Size } from '@gyre/protocol';
import { type Decision, offsetWeight } from '../rollouts/dataset.js';

/** A thought that the policy has made up for what was done. A line of `thoughts/cycle-N.jsonl` in the folder of a run. */
export interface Thought {
  readonly episode: string;
  readonly turn: number;
  readonly thought: string;
  /** Of the weights that thought it. */
  readonly policyVersion: number;
}

export interface ThoughtTerms {
  /** Share of the decisions without a thought that one is looked for, 0..1. */
  readonly share: number;
  /** Thoughts that are sampled for each, of which the first that leads to what was done is kept. */
  readonly attempts: number;
  readonly temperature: number;
}

export interface Thoughtful<D extends Decision> {
  /** All decisions, in their order; those for which a thought was found begin with it. */
  readonly data: readonly D[];
  readonly thoughts: readonly Thought[];
  /** For how many decisions one was to be looked for. */
  readonly tried: number;
}

/** Decisions for which thoughts are sampled at once. */
const together = 32;
/** Points that are no further apart, in px across and down, are the same place: it is not known how large the thing is that was meant. */
const near = 8;

/**
 * Thoughts for actions that have none, by bootstrapping (STaR, Zelikman et al. 2022; UI-TARS, arXiv 2501.12326): the policy
 * thinks and acts where something was done that is worth imitating, and a thought that leads it to just that is learnt with it. What was
 * done stays as it was done; the thought's tokens are those that were sampled.
 */
export async function bootstrapThoughts<D extends Decision & { readonly episode: string }>(
  engine: Pick<NativeEngine, 'sample'>,
  decisions: readonly D[],
  { share, attempts, temperature }: ThoughtTerms,
  { random, isOver = () => false }: { random: Random; isOver?: () => boolean },
): Promise<Thoughtful<D>> {
  const data = [...decisions];
  const open = decisions.flatMap((decision, index) => {
    const asked = askedOf(decision);
    return asked && random.next() < share ? [{ index, decision, ...asked }] : [];
  });
  const thoughts: Thought[] = [];
  for (let from = 0; from < open.length; from += together) {
    let left = open.slice(from, from + together);
    for (let attempt = 0; attempt < attempts && left.length > 0 && !isOver(); attempt++) {
      const sampled = await engine.sample(
        left.map(({ input }) => ({ input, temperature, thinks: true, seed: random.int(2 ** 32) })),
      );
      left = left.filter(({ index, decision, vocabulary, action, size }, at) => {
        const { tokens = [], policyVersion = 0 } = sampled[at] ?? {};
        const said = thoughtIn(vocabulary, tokens, action, size);
        if (said === undefined) return true;
        const { episode, turn } = decision;
        const thoughtful = withThought(vocabulary, decision, said.tokens);
        if (!thoughtful) return true;
        data[index] = thoughtful;
        thoughts.push({ episode, turn, thought: said.thought, policyVersion });
        return false;
      });
    }
  }
  return { data, thoughts, tried: open.length };
}

/** What the policy is asked; undefined where it has thought already. */
function askedOf({ datum: { screenshots, sequences } }: Decision) {
  const [sequence] = sequences;
  const size = screenshots.at(-1)?.size;
  if (!sequence || !size) return undefined;
  const vocabulary = vocabularyOf(size);
  // A text that was cut off is no action to think of.
  if (vocabulary.next(sequence.action) !== undefined) return undefined;
  const { action, thought } = vocabulary.decode(sequence.action);
  if (thought !== undefined) return undefined;
  const { tokens, clock } = sequence;
  return { vocabulary, action, size, input: { screenshots, tokens, ...(clock !== undefined && { clock }) } };
}

/** The thought of an answer, and its tokens with the marks around it; undefined where it leads to something else than `action`, or says nothing. */
function thoughtIn(vocabulary: Vocabulary, tokens: readonly number[], action: NativeAction, size: Size) {
  // What was cut off at the longest turn has no action.
  if (vocabulary.next(tokens) !== undefined) return undefined;
  const { action: own, thought = '' } = vocabulary.decode(tokens);
  if (thought.trim() === '' || !isSame(own, action, size)) return undefined;
  return { thought, tokens: tokens.slice(0, tokens.indexOf(vocabulary.end) + 1) };
}

/** The decision with a thought before its action; undefined where that is longer than a turn may be. */
function withThought<D extends Decision>(
  vocabulary: Vocabulary,
  decision: D,
  thought: readonly number[],
): D | undefined {
  const { datum } = decision;
  const [sequence] = datum.sequences;
  if (!sequence) return undefined;
  const action = [...thought, ...sequence.action];
  if (action.length > longestAction) return undefined;
  const { logprobs: _, ...context } = sequence;
  const weights = action.map((token) => (vocabulary.allows('offset', token) ? offsetWeight : 1));
  return { ...decision, datum: { ...datum, sequences: [{ ...context, action, weights }] } };
}

/** Do two actions do the same, on a screen of this size? */
export function isSame(a: NativeAction, b: NativeAction, { width, height }: Size): boolean {
  const [one, other] = [splitOf(a), splitOf(b)];
  return (
    JSON.stringify(one.rest) === JSON.stringify(other.rest) &&
    one.points.length === other.points.length &&
    one.points.every(({ x, y }, index) => {
      const to = other.points[index]!;
      return Math.abs(x - to.x) * width <= near && Math.abs(y - to.y) * height <= near;
    })
  );
}

function splitOf(action: NativeAction): { points: Point[]; rest: [string, unknown][] } {
  const entries = Object.entries(action).sort(([a], [b]) => (a < b ? -1 : 1));
  const isPoint = (value: unknown): value is Point => typeof value === 'object' && value !== null && 'x' in value;
  return {
    points: entries.flatMap(([, value]: [string, unknown]) => (isPoint(value) ? [value] : [])),
    rest: entries.map(([name, value]: [string, unknown]) => [name, isPoint(value) ? 'point' : value]),
  };
}
