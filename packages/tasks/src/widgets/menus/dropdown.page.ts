import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface DropdownArgument {
  /** Initial options; -1 for none. */
  readonly values: readonly number[];
  readonly target: { readonly field: number; readonly option: number };
  readonly button: number;
}

export default function dropdownVerifier({ values: first, target, button }: DropdownArgument): PageVerifier {
  const values = [...first];
  let open: number | undefined;
  let pressed: string | undefined;
  const entries = (field: number) => [...named(`pop-${field}`).children];

  const draw = () => {
    for (const [field, value] of values.entries()) {
      const options = entries(field);
      named(`value-${field}`).textContent = options[value]?.textContent ?? '';
      named(`pick-${field}`).classList.toggle('open', field === open);
      named(`pop-${field}`).hidden = field !== open;
      for (const [option, entry] of options.entries()) entry.classList.toggle('lit', option === value);
    }
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  onPress((name) => {
    if (pressed !== undefined) return;
    const [kind, field = '', option] = name.split('-');
    if (kind === 'pop') return;
    if (kind === 'option') values[Number(field)] = Number(option);
    const before = open;
    open = undefined;
    if ((kind === 'pick' || kind === 'value') && before !== Number(field)) open = Number(field);
    if (kind === 'button') pressed = name;
    draw();
  });
  draw();

  const goal = `button-${button}`;
  const isRight = () =>
    values.every((value, field) => value === (field === target.field ? target.option : first[field]));
  return {
    read: scoreParts({
      parts: () => ({
        open: isRight() || open === target.field,
        option: isRight(),
        button: pressed === goal,
      }),
      done: () => pressed !== undefined,
      evidence: () => ({ values: [...values], open: open ?? null, pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      const { field, option } = target;
      if (open === field && values[field] !== option) {
        return turn('the list is open: choose the option', {
          type: 'click',
          point: point(`option-${field}-${option}`),
        });
      }
      if (open !== undefined) return turn('close the list', { type: 'click', point: point(`pick-${open}`) });
      if (values[field] !== option) return turn('open the list', { type: 'click', point: point(`pick-${field}`) });
      return turn('the option is chosen: press the button', { type: 'click', point: point(goal) });
    },
  };
}
