import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface SliderArgument {
  readonly values: readonly number[];
  readonly min: number;
  readonly step: number;
  /** Number of steps. */
  readonly span: number;
  readonly target: { readonly slider: number; readonly value: number };
  readonly button: number;
}

export default function sliderVerifier(argument: SliderArgument): PageVerifier {
  const { values: first, min, step, span, target, button } = argument;
  const values = [...first];
  let dragged: number | undefined;
  let pressed: string | undefined;
  const shareOf = (value: number) => (value - min) / (step * span);

  const draw = () => {
    for (const [index, value] of values.entries()) {
      named(`value-${index}`).textContent = String(value);
      named(`thumb-${index}`).style.left = `${100 * shareOf(value)}%`;
      named(`done-${index}`).style.width = `${100 * shareOf(value)}%`;
    }
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  const slide = (x: number) => {
    if (dragged === undefined) return;
    const { left: trackX, width } = named(`track-${dragged}`).getBoundingClientRect();
    const ticks = Math.round(Math.max(0, Math.min(1, (x - trackX) / width)) * span);
    values[dragged] = min + step * ticks;
    draw();
  };
  document.addEventListener(
    'mousedown',
    (event) => {
      if (!event.isTrusted || event.button !== 0 || pressed !== undefined || !(event.target instanceof Element)) return;
      // Presses beyond the ends of the track count.
      const hit = event.target.closest<HTMLElement>('[data-name^="slide-"]')?.dataset.name;
      dragged = hit === undefined ? undefined : Number(hit.split('-')[1]);
      slide(event.clientX);
    },
    true,
  );
  document.addEventListener('mousemove', (event) => event.isTrusted && event.buttons & 1 && slide(event.clientX), true);
  document.addEventListener('mouseup', () => (dragged = undefined), true);
  onPress((name) => {
    if (pressed !== undefined || !name.startsWith('button-')) return;
    pressed = name;
    draw();
  });
  draw();

  const goal = `button-${button}`;
  const others = () => values.every((value, index) => index === target.slider || value === first[index]);
  return {
    read: scoreParts({
      parts: () => ({ value: values[target.slider] === target.value && others(), button: pressed === goal }),
      done: () => pressed !== undefined,
      evidence: () => ({ values: [...values], pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      const value = values[target.slider] ?? min;
      if (value === target.value)
        return turn('the value is right: press the button', { type: 'click', point: point(goal) });
      const track = `track-${target.slider}`;
      const to = point(track, shareOf(target.value));
      const thought = `the slider stands at ${value}: set it to ${target.value}`;
      // The oracle shows both ways: far sliders are dragged.
      const near = Math.abs(value - target.value) <= (step * span) / 2;
      if (near) return turn(thought, { type: 'click', point: to });
      return turn(thought, { type: 'drag', start: point(`thumb-${target.slider}`), end: to });
    },
  };
}
