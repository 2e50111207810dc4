import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface HoverArgument {
  readonly count: number;
  readonly target: { readonly thing: number; readonly item?: number };
  /** Names that icons show; if absent, menus open instead. */
  readonly names?: readonly string[];
}

export default function hoverVerifier({ count, target, names }: HoverArgument): PageVerifier {
  let open: number | undefined;
  let pressed: string | undefined;
  const seen = new Set<number>();
  const goal = names ? `thing-${target.thing}` : `item-${target.thing}-${target.item}`;

  const draw = () => {
    for (let thing = 0; thing < count; thing++) {
      named(`thing-${thing}`).classList.toggle('open', thing === open);
      if (!names) named(`pop-${thing}`).hidden = thing !== open;
    }
    if (names) {
      const tip = named('tip');
      tip.hidden = open === undefined;
      if (open !== undefined) {
        tip.textContent = names[open] ?? '';
        const { left: thingX, bottom, top } = named(`thing-${open}`).getBoundingClientRect();
        const height = tip.offsetHeight;
        tip.style.left = `${Math.max(2, Math.min(thingX, window.innerWidth - tip.offsetWidth - 2))}px`;
        tip.style.top = `${bottom + 3 + height < window.innerHeight ? bottom + 3 : top - 3 - height}px`;
      }
    }
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  document.addEventListener(
    'mousemove',
    (event) => {
      if (!event.isTrusted || pressed !== undefined) return;
      const hit = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-name]') : null;
      const [kind, number] = (hit?.dataset.name ?? '').split('-');
      // A menu stays open while the mouse is on it.
      open = kind === 'thing' || kind === 'pop' || kind === 'item' ? Number(number) : undefined;
      if (open !== undefined) seen.add(open);
      draw();
    },
    true,
  );
  onPress((name) => {
    if (pressed !== undefined || !name.startsWith(names ? 'thing-' : 'item-')) return;
    pressed = name;
    draw();
  });
  draw();

  return {
    read: scoreParts({
      parts: () => ({ shown: names ? seen.has(target.thing) : open === target.thing, pressed: pressed === goal }),
      done: () => pressed !== undefined,
      evidence: () => ({ open: open ?? null, seen: [...seen], pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      if (!names) {
        if (open === target.thing)
          return turn('the menu shows: choose the item', { type: 'click', point: point(goal) });
        const label = named(`thing-${target.thing}`).textContent;
        return turn(`no menu of "${label}" shows: move the mouse there`, {
          type: 'mouse_move',
          point: point(`thing-${target.thing}`),
        });
      }
      if (seen.has(target.thing))
        return turn(`that is "${names[target.thing]}": press it`, { type: 'click', point: point(goal) });
      let next = 0;
      while (seen.has(next)) next++;
      const thought = open === undefined ? 'no name shows' : `this is "${names[open]}"`;
      return turn(`${thought}: point at the next icon`, { type: 'mouse_move', point: point(`thing-${next}`) });
    },
  };
}
