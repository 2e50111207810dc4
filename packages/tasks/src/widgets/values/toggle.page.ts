import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface ToggleArgument {
  readonly states: readonly boolean[];
  readonly target: readonly boolean[];
  /** Switches that the instruction names. */
  readonly goals: readonly number[];
  readonly button: number;
}

export default function toggleVerifier({ states: first, target, goals, button }: ToggleArgument): PageVerifier {
  const states = [...first];
  let pressed: string | undefined;
  const goal = `button-${button}`;

  const draw = () => {
    for (const [index, state] of states.entries()) named(`row-${index}`).classList.toggle('on', state);
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  onPress((name) => {
    if (pressed !== undefined) return;
    const [kind, number] = name.split('-');
    if (kind === 'row' || kind === 'switch') states[Number(number)] = !states[Number(number)];
    if (kind === 'button') pressed = name;
    draw();
  });
  draw();

  const isRight = (index: number) => states[index] === target[index];
  return {
    read: scoreParts({
      parts: () => ({
        ...Object.fromEntries(goals.map((index) => [`switch${index}`, isRight(index)])),
        others: states.every((_, index) => goals.includes(index) || isRight(index)),
        button: pressed === goal,
      }),
      done: () => pressed !== undefined,
      evidence: () => ({ states: [...states], pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      const wrong = states.findIndex((_, index) => !isRight(index));
      if (wrong < 0) return turn('the switches are right: press the button', { type: 'click', point: point(goal) });
      const label = named(`row-${wrong}`).textContent;
      return turn(`"${label}" is ${states[wrong] ? 'on' : 'off'}: switch it`, {
        type: 'click',
        point: point(`switch-${wrong}`),
      });
    },
  };
}
