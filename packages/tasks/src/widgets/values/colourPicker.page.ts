import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface ColourPickerArgument {
  readonly colours: readonly string[];
  /** Initial swatches; -1 for none. */
  readonly values: readonly number[];
  readonly target: { readonly field: number; readonly colour: number };
  /** Top of each field's swatches in px; if absent, one field's swatches are always open. */
  readonly tops?: readonly number[];
  /** If absent, a press on a swatch ends the task. */
  readonly button?: number;
}

export default function colourPickerVerifier(argument: ColourPickerArgument): PageVerifier {
  const { colours, values: first, target, tops, button } = argument;
  const values = [...first];
  let open: number | undefined;
  let picked = false;
  let pressed: string | undefined;
  const goal = `button-${button}`;
  const isDone = () => (button === undefined ? picked : pressed !== undefined);

  const draw = () => {
    for (const [index, value] of values.entries()) {
      if (tops) {
        named(`shown-${index}`).style.background = colours[value] ?? 'none';
        named(`pick-${index}`).classList.toggle('open', index === open);
      }
    }
    const lit = values[tops ? (open ?? -1) : 0];
    for (const colour of colours.keys()) named(`swatch-${colour}`).classList.toggle('lit', colour === lit);
    if (tops) {
      named('pop').hidden = open === undefined;
      named('pop').style.top = `${tops[open ?? 0] ?? 0}px`;
    }
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  onPress((name) => {
    if (isDone() || name === 'pop') return;
    const [kind, number] = name.split('-');
    if (kind === 'swatch') {
      values[open ?? 0] = Number(number);
      picked = true;
    }
    const before = open;
    open = undefined;
    if ((kind === 'pick' || kind === 'shown') && before !== Number(number)) open = Number(number);
    if (kind === 'button') pressed = name;
    draw();
  });
  draw();

  const isRight = () =>
    values.every((value, field) => value === (field === target.field ? target.colour : first[field]));
  return {
    read: scoreParts({
      parts: () => ({
        ...(tops && { open: isRight() || open === target.field }),
        colour: isRight(),
        ...(button !== undefined && { button: pressed === goal }),
      }),
      done: isDone,
      evidence: () => ({ values: [...values], open: open ?? null, pressed: pressed ?? null }),
    }),
    solve() {
      if (isDone()) return [];
      const { field, colour } = target;
      const strayed = values.findIndex((value, index) => index !== field && value !== first[index]);
      const next = strayed < 0 ? field : strayed;
      const aim = strayed < 0 ? colour : (first[strayed] ?? 0);
      if (values[next] === aim && isRight()) {
        if (open !== undefined) return turn('close the colours', { type: 'click', point: point(`pick-${open}`) });
        return turn('the colour is chosen: press the button', { type: 'click', point: point(goal) });
      }
      if (tops && open !== next) {
        const toggle = open === undefined ? `pick-${next}` : `pick-${open}`;
        return turn(open === undefined ? 'open the colours' : 'close the colours', {
          type: 'click',
          point: point(toggle),
        });
      }
      return turn('the colours are there: choose the right one', { type: 'click', point: point(`swatch-${aim}`) });
    },
  };
}
