import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, scoreParts, turn } from '../parts.js';

export interface KeyboardNavArgument {
  readonly count: number;
  readonly columns: number;
  readonly start: number;
  readonly target: number;
  readonly keys: 'tab' | 'arrows';
}

export default function keyboardNavVerifier(argument: KeyboardNavArgument): PageVerifier {
  const { count, columns, start, target, keys } = argument;
  let focused = start;
  let entered: number | undefined;

  const draw = () => {
    for (let item = 0; item < count; item++) named(`item-${item}`).classList.toggle('on', item === focused);
    if (entered !== undefined) named(`item-${entered}`).classList.add('pressed');
  };
  document.addEventListener(
    'keydown',
    (event) => {
      if (!event.isTrusted || entered !== undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      const column = focused % columns;
      if (event.key === 'Tab' && keys === 'tab') focused = (focused + (event.shiftKey ? count - 1 : 1)) % count;
      else if (event.key === 'Enter') entered = focused;
      else if (keys === 'tab') return;
      else if (event.key === 'ArrowLeft' && column > 0) focused--;
      else if (event.key === 'ArrowRight' && column < columns - 1) focused++;
      else if (event.key === 'ArrowUp' && focused >= columns) focused -= columns;
      else if (event.key === 'ArrowDown' && focused + columns < count) focused += columns;
      else return;
      event.preventDefault();
      draw();
    },
    true,
  );
  draw();

  return {
    read: scoreParts({
      parts: () => ({ focus: focused === target, entered: entered === target }),
      done: () => entered !== undefined,
      evidence: () => ({ focused, entered: entered ?? null }),
    }),
    solve() {
      if (entered !== undefined) return [];
      const label = named(`item-${focused}`).textContent;
      if (focused === target) return turn(`"${label}" has the focus: press enter`, { type: 'hotkey', keys: 'enter' });
      const across = (target % columns) - (focused % columns);
      const isBelow = Math.floor(target / columns) > Math.floor(focused / columns);
      const arrow = across !== 0 ? (across > 0 ? 'right' : 'left') : isBelow ? 'down' : 'up';
      const key = keys === 'tab' ? 'tab' : `arrow${arrow}`;
      const thought = keys === 'tab' ? 'press tab' : `go ${arrow}`;
      return turn(`"${label}" has the focus: ${thought}`, { type: 'hotkey', keys: key });
    },
  };
}
