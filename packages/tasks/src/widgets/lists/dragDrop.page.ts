import type { Verifier } from '../../family/verifier.js';
import { named, point, scoreParts, turn } from '../parts.js';

export interface DragDropArgument {
  /** Number of the place where each card is at first. */
  readonly home: readonly number[];
  /** How many places there are. */
  readonly places: number;
  /** What is asked for. */
  readonly moves: readonly { readonly card: number; readonly place: number }[];
}

/**
 * Keeps where cards are and which one is held. The task is done when all cards are where they should be: a card that was
 * dropped in the wrong place can be taken on.
 */
export default function dragDropVerifier({ home, places, moves }: DragDropArgument): Verifier {
  const where = [...home];
  let held: { card: number; x: number; y: number } | undefined;
  const goal = (card: number) => moves.find((move) => move.card === card)?.place ?? home[card];
  const isDone = () => where.every((place, card) => place === goal(card));

  const placeAt = (x: number, y: number): number | undefined => {
    for (let place = 0; place < places; place++) {
      const { left, right, top, bottom } = named(`place-${place}`).getBoundingClientRect();
      if (x >= left && x < right && y >= top && y < bottom) return place;
    }
    return undefined;
  };
  const draw = (x = 0, y = 0) => {
    const over = held && placeAt(x, y);
    for (let place = 0; place < places; place++) named(`place-${place}`).classList.toggle('over', place === over);
    for (const [card, place] of where.entries()) {
      const element = named(`card-${card}`);
      const cards = named(`cards-${place}`);
      if (element.parentElement !== cards) cards.append(element);
      const isHeld = held?.card === card;
      element.classList.toggle('held', isHeld);
      element.style.left = isHeld && held ? `${x - held.x}px` : '';
      element.style.top = isHeld && held ? `${y - held.y}px` : '';
    }
  };
  document.addEventListener(
    'mousedown',
    (event) => {
      if (!event.isTrusted || event.button !== 0 || isDone() || !(event.target instanceof Element)) return;
      const name = event.target.closest<HTMLElement>('[data-name^="card-"]')?.dataset.name;
      if (name === undefined) return;
      held = { card: Number(name.split('-')[1]), x: event.clientX, y: event.clientY };
      draw(event.clientX, event.clientY);
    },
    true,
  );
  document.addEventListener(
    'mousemove',
    (event) => {
      if (event.isTrusted && held) draw(event.clientX, event.clientY);
    },
    true,
  );
  document.addEventListener(
    'mouseup',
    (event) => {
      if (!event.isTrusted || event.button !== 0 || !held) return;
      const place = placeAt(event.clientX, event.clientY);
      if (place !== undefined) where[held.card] = place;
      held = undefined;
      draw();
    },
    true,
  );
  draw();

  return {
    read: scoreParts({
      parts: () => ({
        ...Object.fromEntries(moves.map(({ card, place }) => [`card ${card}`, where[card] === place])),
        others: where.every((place, card) => moves.some((move) => move.card === card) || place === home[card]),
      }),
      done: isDone,
      evidence: () => ({ where: [...where] }),
    }),
    solve() {
      const card = where.findIndex((place, index) => place !== goal(index));
      if (card < 0) return [];
      const thought = `"${named(`card-${card}`).textContent}" is not where it should be: drag it there`;
      // To the lower part, where no card is.
      const end = point(`place-${goal(card)}`, 0.6, 0.8);
      return turn(thought, { type: 'drag', start: point(`card-${card}`), end });
    },
  };
}
