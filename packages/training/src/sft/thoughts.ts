import {
  type NativeEngine,
  type NativeAction,
  type Random,
  type Vocabulary,
  longestAction,
  sceneOf,
  vocabularyOf,
} from '@gyre/engine';
import type { Point, Size } from '@gyre/protocol';
import { type Decision, offsetWeight } from '../rollouts/dataset.js';
import { doesTheSame } from '../rollouts/sceneDecision.js';

/** A line of `thoughts/cycle-N.jsonl`. */
export interface Thought {
  readonly episode: string;
  readonly turn: number;
  readonly thought: string;
  readonly policyVersion: number;
}

export interface ThoughtTerms {
  /** Share of decisions lacking a thought to sample for. */
  readonly share: number;
  /** Per decision; the first that leads to the recorded action is accepted. */
  readonly attempts: number;
  readonly temperature: number;
}

export interface WithThoughts<D extends Decision> {
  readonly data: readonly D[];
  readonly thoughts: readonly Thought[];
  readonly tried: number;
}

const together = 32;
/** Tolerance in px per axis. */
const near = 8;

/**
 * Bootstraps thoughts (STaR, Zelikman et al. 2022; UI-TARS, arXiv 2501.12326): samples a thought and an action, and
 * accepts the thought if the action is the recorded one.
 */
export async function bootstrapThoughts<D extends Decision & { readonly episode: string }>(
  engine: Pick<NativeEngine, 'sample'>,
  decisions: readonly D[],
  { share, attempts, temperature }: ThoughtTerms,
  { random, isOver = () => false }: { random: Random; isOver?: () => boolean },
): Promise<WithThoughts<D>> {
  const data = [...decisions];
  const open = decisions.flatMap((decision, index) => {
    const prompt = askedOf(decision);
    return prompt && random.next() < share ? [{ index, decision, ...prompt }] : [];
  });
  const thoughts: Thought[] = [];
  for (let from = 0; from < open.length; from += together) {
    let pending = open.slice(from, from + together);
    for (let attempt = 0; attempt < attempts && pending.length > 0 && !isOver(); attempt++) {
      const sampled = await engine.sample(
        pending.map(({ input }) => ({ input, temperature, thinks: true, seed: random.int(2 ** 32) })),
      );
      pending = pending.filter(({ index, decision, vocabulary, repeats }, position) => {
        const { tokens = [], policyVersion = 0 } = sampled[position] ?? {};
        const accepted = thoughtIn(vocabulary, tokens, repeats);
        if (accepted === undefined) return true;
        const { episode, turn } = decision;
        const thoughtful = withThought(vocabulary, decision, accepted.tokens);
        if (!thoughtful) return true;
        data[index] = thoughtful;
        thoughts.push({ episode, turn, thought: accepted.thought, policyVersion });
        return false;
      });
    }
  }
  return { data, thoughts, tried: open.length };
}

function askedOf({ datum: { screenshots, sequences } }: Decision) {
  const [sequence] = sequences;
  const newest = screenshots.at(-1);
  if (!sequence || !newest) return undefined;
  const { size } = newest;
  const { tokens, clock, scene } = sequence;
  const vocabulary = scene ? sceneOf(newest, scene, clock).vocabulary : vocabularyOf(size);
  if (vocabulary.next(sequence.action) !== undefined) return undefined;
  const { action, thought } = vocabulary.decode(sequence.action);
  if (thought !== undefined) return undefined;
  const input = { screenshots, tokens, ...(clock !== undefined && { clock }), ...(scene && { scene }) };
  const repeats = (sampled: readonly number[]): boolean =>
    sequence.equals
      ? doesTheSame(vocabulary, sequence, sampled)
      : isSame(vocabulary.decode(sampled).action, action, size);
  return { vocabulary, repeats, input };
}

/** Returns undefined for another action or no thought. */
function thoughtIn(
  vocabulary: Vocabulary,
  tokens: readonly number[],
  repeats: (action: readonly number[]) => boolean,
): { thought: string; tokens: readonly number[] } | undefined {
  if (vocabulary.next(tokens) !== undefined) return undefined;
  const { thought = '' } = vocabulary.decode(tokens);
  const begin = tokens.indexOf(vocabulary.end) + 1;
  if (thought.trim() === '' || !repeats(tokens.slice(begin))) return undefined;
  return { thought, tokens: tokens.slice(0, begin) };
}

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
  if (sequence.scene) {
    const equals = sequence.equals && [...thought.map(() => undefined), ...sequence.equals];
    return { ...decision, datum: { ...datum, sequences: [{ ...context, action, ...(equals && { equals }) }] } };
  }
  const weights = action.map((token) => (vocabulary.allows('offset', token) ? offsetWeight : 1));
  return { ...decision, datum: { ...datum, sequences: [{ ...context, action, weights }] } };
}

export function isSame(a: NativeAction, b: NativeAction, { width, height }: Size): boolean {
  const [first, second] = [splitOf(a), splitOf(b)];
  return (
    JSON.stringify(first.rest) === JSON.stringify(second.rest) &&
    first.points.length === second.points.length &&
    first.points.every(({ x, y }, index) => {
      const to = second.points[index]!;
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
