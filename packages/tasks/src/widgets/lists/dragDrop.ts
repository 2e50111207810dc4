import type { DragDropArgument } from './dragDrop.page.js';
import { LabelMisfit } from '../drawing/labels.js';
import { widgetFamily } from '../widgetFamily.js';

export const dragDrop = widgetFamily({
  name: 'dragDrop',
  description: 'Drag one or two cards to their columns.',
  templates: {
    one: [
      'drag {card} to {place}',
      'move the card {card} to {place}',
      'drop {card} on {place}',
      'put {card} into {place}',
    ],
    two: [
      'drag {card} to {place} and {other} to {there}',
      'move {card} to {place}, then {other} to {there}',
      'put {card} into {place} and {other} into {there}',
    ],
  },
  layouts: {
    places: ['columns', 'columns', 'shelves'],
    look: ['filled', 'dashed', 'lined'],
    cards: ['plain', 'striped', 'grip'],
  },
  room: { width: [150, 480], height: [104, 280] },
  styles: `
.dragDrop{position:absolute;inset:0;display:flex;gap:4px}
.dragDrop.shelves{flex-direction:column}
.dragDrop .place{flex:1;min-width:0;min-height:0;padding:2px;display:flex;flex-direction:column;gap:2px;overflow:hidden;border-radius:calc(var(--radius)*.6);border:1px solid var(--line);background:var(--soft)}
.dragDrop.dashed .place{border:2px dashed var(--muted);background:none}
.dragDrop.lined .place{border-width:2px 0 0;border-color:var(--accent);border-radius:0}
.dragDrop .place.over{background:var(--tint)}
.dragDrop .name{flex:none;height:var(--row);padding:0 2px;display:flex;align-items:center;font-weight:700;white-space:pre}
.dragDrop .cards{display:flex;flex-direction:column;gap:2px}
.dragDrop.shelves .cards{flex-direction:row}
.dragDrop .thing{position:relative;height:var(--row);padding:0 4px;display:flex;align-items:center;white-space:pre;background:var(--card);border:1px solid var(--muted);border-radius:calc(var(--radius)*.5);overflow:hidden}
.dragDrop.shelves .thing{flex:none}
.dragDrop.striped .thing{border-left:4px solid var(--accent)}
.dragDrop.grip .thing::before{content:'';flex:none;width:4px;height:8px;margin-right:4px;background:repeating-linear-gradient(var(--muted) 0 2px,transparent 2px 4px)}
.dragDrop .thing.held{z-index:5;opacity:.85;outline:2px solid var(--accent)}
.dragDrop .place:has(.held){overflow:visible}`,
  page: 'widgets/lists/dragDrop',
  draw({ random, area, row, labels, layout }) {
    const columns = layout.places === 'columns';
    const count =
      columns && area.width < 280
        ? 2
        : random.between(2, Math.min(4, Math.floor(columns ? area.width / 84 : area.height / (2 * row + 14))));
    if (count < 2) throw new LabelMisfit('less than 2 places');
    const width = columns ? (area.width - 4 * (count - 1)) / count : area.width;
    const max = columns ? Math.floor((area.height - row - 8) / (row + 2)) : Math.floor((width - 6) / 66);
    if (max < 2) throw new LabelMisfit('less than 2 cards in a place');
    const room = (columns ? width - 6 : (width - 8) / max) - 20;
    const places = labels.several(count, (width - 12) / 1.15);
    const moveCount = random.chance(0.3) ? 2 : 1;
    const total = random.between(Math.max(2, moveCount + 1), Math.min(6, count * (max - 1)));
    const names = labels.several(total, room);
    // Every place has room for another card.
    const home: number[] = [];
    for (const _ of names) {
      const free = places.flatMap((_, place) =>
        home.filter((number) => number === place).length < max - moveCount ? [place] : [],
      );
      if (free.length === 0) throw new LabelMisfit('no room for a card');
      home.push(random.pick(free));
    }
    const cards = random.shuffle(names.map((_, card) => card)).slice(0, moveCount);
    const moves = cards.map((card) => {
      const elsewhere = places.flatMap((_, place) => (place === home[card] ? [] : [place]));
      return { card, place: random.pick(elsewhere) };
    });
    const card = (name: string, index: number) => `<div class="thing" data-name="card-${index}">${name}</div>`;
    const boxes = places.map((place, index) => {
      const inside = names.flatMap((name, number) => (home[number] === index ? [card(name, number)] : []));
      return (
        `<div class="place" data-name="place-${index}" data-drop><div class="name">${place}</div>` +
        `<div class="cards" data-name="cards-${index}">${inside.join('')}</div></div>`
      );
    });
    const [first, second] = moves;
    const argument: DragDropArgument = { home, places: count, moves };
    return {
      html: `<div class="dragDrop ${layout.places} ${layout.look} ${layout.cards}">${boxes.join('')}</div>`,
      argument,
      say: moveCount === 1 ? 'one' : 'two',
      texts: {
        card: names[first?.card ?? 0] ?? '',
        place: places[first?.place ?? 0] ?? '',
        other: names[second?.card ?? 0] ?? '',
        there: places[second?.place ?? 0] ?? '',
      },
      turns: moveCount,
    };
  },
});
