import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface StepperArgument {
  readonly values: readonly number[];
  readonly step: number;
  readonly target: { readonly stepper: number; readonly value: number };
  readonly button: number;
}

export default function stepperVerifier({ values: first, step, target, button }: StepperArgument): PageVerifier {
  const values = [...first];
  let pressed: string | undefined;
  const goal = `button-${button}`;

  const draw = () => {
    for (const [index, value] of values.entries()) named(`value-${index}`).textContent = String(value);
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  onPress((name) => {
    if (pressed !== undefined) return;
    const [kind, number] = name.split('-');
    const index = Number(number);
    const by = kind === 'more' ? step : kind === 'less' ? -step : 0;
    const value = values[index];
    if (by !== 0 && value !== undefined) values[index] = Math.max(0, Math.min(99, value + by));
    if (kind === 'button') pressed = name;
    draw();
  });
  draw();

  const others = () => values.every((value, index) => index === target.stepper || value === first[index]);
  return {
    read: scoreParts({
      parts: () => ({ value: values[target.stepper] === target.value && others(), button: pressed === goal }),
      done: () => pressed !== undefined,
      evidence: () => ({ values: [...values], pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      const value = values[target.stepper] ?? 0;
      if (value === target.value)
        return turn('the number is right: press the button', { type: 'click', point: point(goal) });
      const kind = value < target.value ? 'more' : 'less';
      const sign = kind === 'more' ? 'plus' : 'minus';
      return turn(`it says ${value} and should be ${target.value}: press ${sign}`, {
        type: 'click',
        point: point(`${kind}-${target.stepper}`),
      });
    },
  };
}
