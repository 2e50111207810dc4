/** Text of one line, with the middle of each code point in steps. */
export interface CtcText {
  readonly text: string;
  readonly positions: readonly number[];
}

/**
 * Decodes greedily: the best class of each step, without repetitions and blanks (class 0). A character lies in the middle
 * of its run of steps. Leading and trailing spaces are dropped.
 *
 * @param scores `[steps, characters.length]`; probabilities or logits.
 */
export function decodeCtc(scores: Float32Array, characters: readonly string[]): CtcText {
  const classes = characters.length;
  const runs: { character: string; first: number; last: number }[] = [];
  let previous = 0;
  for (let step = 0; (step + 1) * classes <= scores.length; step++) {
    const best = bestOf(scores, step * classes, classes);
    if (best !== 0 && best === previous) runs.at(-1)!.last = step;
    else if (best !== 0) runs.push({ character: characters[best]!, first: step, last: step });
    previous = best;
  }
  const isInk = ({ character }: { character: string }) => character.trim() !== '';
  const line = runs.slice(Math.max(0, runs.findIndex(isInk)), runs.findLastIndex(isInk) + 1);
  return {
    text: line.map(({ character }) => character).join(''),
    // A class may stand for several code points.
    positions: line.flatMap(({ character, first, last }) => [...character].map(() => (first + last + 1) / 2)),
  };
}

function bestOf(scores: Float32Array, start: number, classes: number): number {
  let best = 0;
  let highest = scores[start]!;
  for (let i = 1; i < classes; i++) {
    const score = scores[start + i]!;
    if (score <= highest) continue;
    highest = score;
    best = i;
  }
  return best;
}
