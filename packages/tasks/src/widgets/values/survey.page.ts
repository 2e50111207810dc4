import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface SurveyArgument {
  /** Initial answers; -1 for none. */
  readonly values: readonly number[];
  readonly answers: number;
  readonly target: readonly number[];
  readonly button: number;
}

export default function surveyVerifier({ values: first, answers, target, button }: SurveyArgument): PageVerifier {
  const values = [...first];
  let pressed: string | undefined;
  const goal = `button-${button}`;

  const draw = () => {
    for (const [row, value] of values.entries()) {
      for (let answer = 0; answer < answers; answer++) {
        named(`answer-${row}-${answer}`).classList.toggle('on', answer === value);
      }
    }
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  onPress((name) => {
    if (pressed !== undefined) return;
    const [kind, row, answer] = name.split('-');
    if (kind === 'answer') values[Number(row)] = Number(answer);
    if (kind === 'button') pressed = name;
    draw();
  });
  draw();

  return {
    read: scoreParts({
      parts: () => ({
        ...Object.fromEntries(target.map((right, row) => [`row${row}`, values[row] === right])),
        button: pressed === goal,
      }),
      done: () => pressed !== undefined,
      evidence: () => ({ values: [...values], pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      const row = target.findIndex((right, index) => values[index] !== right);
      if (row < 0) return turn('every row is answered: press the button', { type: 'click', point: point(goal) });
      const label = named(`name-${row}`).textContent;
      return turn(`"${label}" has not the right answer yet: choose it`, {
        type: 'click',
        point: point(`answer-${row}-${target[row]}`),
      });
    },
  };
}
