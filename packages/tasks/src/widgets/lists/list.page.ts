import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface ListArgument {
  readonly target: number;
  /** px */
  readonly high: number;
  readonly count: number;
  /** Maximum scroll per wheel event, in px. */
  readonly stride: number;
  /** Initial scroll offset in px. */
  readonly start: number;
}

export default function listVerifier({ target, high, count, stride, start }: ListArgument): PageVerifier {
  const frame = named('list');
  const inside = frame.clientHeight;
  const max = Math.max(0, count * high - inside);
  let top = start;
  let pressed: number | undefined;

  const draw = () => {
    named('rows').style.top = `${-top}px`;
    const grip = named('grip');
    grip.style.top = `${(100 * top) / (count * high)}%`;
    grip.style.height = `${(100 * inside) / (count * high)}%`;
    if (pressed !== undefined) named(`item-${pressed}`).classList.add('pressed');
  };
  const isShown = () => target * high >= top && (target + 1) * high <= top + inside;
  document.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      if (!event.isTrusted || pressed !== undefined || !(event.target instanceof Node) || !frame.contains(event.target))
        return;
      // No item is skipped, however large the screen.
      const delta = Math.max(-stride, Math.min(stride, event.deltaY));
      top = Math.max(0, Math.min(max, top + delta));
      draw();
    },
    { capture: true, passive: false },
  );
  onPress((name) => {
    if (pressed !== undefined || !name.startsWith('item-')) return;
    pressed = Number(name.split('-')[1]);
    draw();
  });
  draw();

  return {
    read: scoreParts({
      // A partly visible item can be pressed as well.
      parts: () => ({ shown: isShown() || pressed === target, item: pressed === target }),
      done: () => pressed !== undefined,
      evidence: () => ({ top, pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      if (isShown()) return turn('it is there: press it', { type: 'click', point: point(`item-${target}`) });
      const direction = target * high < top ? 'up' : 'down';
      return turn(`it is not among these: scroll ${direction}`, { type: 'scroll', point: point('list'), direction });
    },
  };
}
