import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface ReorderArgument {
  /** px */
  readonly high: number;
  /** The correct order, by initial positions. */
  readonly order: readonly number[];
  readonly moved: number;
  readonly arrows: boolean;
  readonly numbered: boolean;
  readonly button: number;
}

export default function reorderVerifier(argument: ReorderArgument): PageVerifier {
  const { high, order: right, moved, arrows, numbered, button } = argument;
  const order = [...right.keys()];
  let dragged: number | undefined;
  let pressed: string | undefined;
  const goal = `button-${button}`;

  const draw = () => {
    for (const [place, item] of order.entries()) {
      named(`item-${item}`).style.top = `${place * high}px`;
      named(`item-${item}`).classList.toggle('held', item === dragged);
      if (numbered) named(`place-${item}`).textContent = String(place + 1);
    }
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  const put = (item: number, place: number) => {
    const to = Math.max(0, Math.min(order.length - 1, place));
    order.splice(to, 0, ...order.splice(order.indexOf(item), 1));
    draw();
  };
  onPress((name) => {
    if (pressed !== undefined) return;
    const [kind, number] = name.split('-');
    if (kind === 'up' || kind === 'down') {
      const item = Number(number);
      put(item, order.indexOf(item) + (kind === 'up' ? -1 : 1));
    }
    if (kind === 'button') pressed = name;
    draw();
  });
  document.addEventListener(
    'mousedown',
    (event) => {
      if (!event.isTrusted || event.button !== 0 || pressed !== undefined || arrows) return;
      const hit = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-name^="item-"]') : null;
      dragged = hit ? Number(hit.dataset.name?.split('-')[1]) : undefined;
      draw();
    },
    true,
  );
  document.addEventListener(
    'mousemove',
    (event) => {
      if (!event.isTrusted || dragged === undefined || !(event.buttons & 1)) return;
      put(dragged, Math.floor((event.clientY - named('rows').getBoundingClientRect().top) / high));
    },
    true,
  );
  document.addEventListener(
    'mouseup',
    (event) => {
      if (!event.isTrusted) return;
      dragged = undefined;
      draw();
    },
    true,
  );
  draw();

  const isRight = () => order.every((item, place) => item === right[place]);
  return {
    read: scoreParts({
      parts: () => ({ order: isRight(), button: pressed === goal }),
      done: () => pressed !== undefined,
      evidence: () => ({ order: [...order], pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      if (isRight()) return turn('the order is right: press the button', { type: 'click', point: point(goal) });
      const others = order.filter((item) => item !== moved);
      const strayed = right.filter((item) => item !== moved).find((item, place) => others[place] !== item);
      const item = strayed ?? moved;
      const place = order.indexOf(item);
      const to = right.indexOf(item);
      const label = named(`item-${item}`).querySelector('span')?.textContent;
      if (arrows) {
        const kind = to < place ? 'up' : 'down';
        return turn(`"${label}" is at place ${place + 1} and should be at ${to + 1}: move it ${kind}`, {
          type: 'click',
          point: point(`${kind}-${item}`),
        });
      }
      const start = point(`item-${item}`);
      const { top, left: x, width } = named('rows').getBoundingClientRect();
      const end = { x: (x + width / 2) / window.innerWidth, y: (top + (to + 0.5) * high) / window.innerHeight };
      return turn(`"${label}" should be at place ${to + 1}: drag it there`, { type: 'drag', start, end });
    },
  };
}
