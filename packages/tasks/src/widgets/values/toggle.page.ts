import type { Verifier } from '../../family/verifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface ToggleArgument {
  /** Whether each switch is on at first. */
  readonly states: readonly boolean[];
  /** Whether each is to be on at the end. */
  readonly target: readonly boolean[];
  /** Numbers of those that the instruction speaks of. */
  readonly told: readonly number[];
  /** Number of the right button. */
  readonly button: number;
}

/** Keeps which switches are on and the pressed button. */
export default function toggleVerifier({ states: first, target, told, button }: ToggleArgument): Verifier {
  const states = [...first];
  let pressed: string | undefined;
  const wanted = `button-${button}`;

  const draw = () => {
    for (const [index, state] of states.entries()) named(`row-${index}`).classList.toggle('on', state);
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  onPress((name) => {
    if (pressed !== undefined) return;
    const [kind, at] = name.split('-');
    // The label beside a switch counts as the switch.
    if (kind === 'row' || kind === 'switch') states[Number(at)] = !states[Number(at)];
    if (kind === 'button') pressed = name;
    draw();
  });
  draw();

  const isRight = (index: number) => states[index] === target[index];
  return {
    read: scoreParts({
      parts: () => ({
        ...Object.fromEntries(told.map((index) => [`switch${index}`, isRight(index)])),
        others: states.every((_, index) => told.includes(index) || isRight(index)),
        button: pressed === wanted,
      }),
      done: () => pressed !== undefined,
      evidence: () => ({ states: [...states], pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      const wrong = states.findIndex((_, index) => !isRight(index));
      if (wrong < 0) return turn('the switches are right: press the button', { type: 'click', point: point(wanted) });
      const label = named(`row-${wrong}`).textContent;
      return turn(`"${label}" is ${states[wrong] ? 'on' : 'off'}: switch it`, {
        type: 'click',
        point: point(`switch-${wrong}`),
      });
    },
  };
}
