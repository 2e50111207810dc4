import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, point, scoreParts, turn } from '../parts.js';

export interface DragDropArgument {
  readonly home: readonly number[];
  readonly places: number;
  readonly moves: readonly { readonly card: number; readonly place: number }[];
}

export default function dragDropVerifier({ home, places, moves }: DragDropArgument): PageVerifier {
  const where = [...home];
  let dragged: { card: number; x: number; y: number } | undefined;
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
    const over = dragged && placeAt(x, y);
    for (let place = 0; place < places; place++) named(`place-${place}`).classList.toggle('over', place === over);
    for (const [card, place] of where.entries()) {
      const element = named(`card-${card}`);
      const cards = named(`cards-${place}`);
      if (element.parentElement !== cards) cards.append(element);
      const isDragged = dragged?.card === card;
      element.classList.toggle('held', isDragged);
      element.style.left = isDragged && dragged ? `${x - dragged.x}px` : '';
      element.style.top = isDragged && dragged ? `${y - dragged.y}px` : '';
    }
  };
  document.addEventListener(
    'mousedown',
    (event) => {
      if (!event.isTrusted || event.button !== 0 || isDone() || !(event.target instanceof Element)) return;
      const name = event.target.closest<HTMLElement>('[data-name^="card-"]')?.dataset.name;
      if (name === undefined) return;
      dragged = { card: Number(name.split('-')[1]), x: event.clientX, y: event.clientY };
      draw(event.clientX, event.clientY);
    },
    true,
  );
  document.addEventListener(
    'mousemove',
    (event) => {
      if (event.isTrusted && dragged) draw(event.clientX, event.clientY);
    },
    true,
  );
  document.addEventListener(
    'mouseup',
    (event) => {
      if (!event.isTrusted || event.button !== 0 || !dragged) return;
      const place = placeAt(event.clientX, event.clientY);
      if (place !== undefined) where[dragged.card] = place;
      dragged = undefined;
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
      return turn(thought, { type: 'drag', start: point(`card-${card}`), end: point(`place-${goal(card)}`) });
    },
  };
}
