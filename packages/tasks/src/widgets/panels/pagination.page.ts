import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface PaginationArgument {
  readonly count: number;
  readonly start: number;
  readonly target: { readonly page: number; readonly item: number };
  readonly arrows: boolean;
  readonly numbers: boolean;
  /** The instruction does not say which page. */
  readonly find: boolean;
}

export default function paginationVerifier(argument: PaginationArgument): PageVerifier {
  const { count, start, target, arrows, numbers, find } = argument;
  let page = start;
  let pressed: string | undefined;
  const goal = `item-${target.page}-${target.item}`;

  const draw = () => {
    for (let index = 0; index < count; index++) {
      named(`sheet-${index}`).hidden = index !== page;
      if (numbers) named(`page-${index}`).classList.toggle('lit', index === page);
    }
    if (!numbers) named('where').textContent = `${page + 1} / ${count}`;
    if (arrows) {
      named('before').classList.toggle('idle', page === 0);
      named('next').classList.toggle('idle', page === count - 1);
    }
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  onPress((name) => {
    if (pressed !== undefined) return;
    const [kind, number] = name.split('-');
    if (kind === 'page') page = Number(number);
    if (kind === 'before') page = Math.max(0, page - 1);
    if (kind === 'next') page = Math.min(count - 1, page + 1);
    if (kind === 'item') pressed = name;
    draw();
  });
  draw();

  return {
    read: scoreParts({
      parts: () => ({ page: page === target.page, item: pressed === goal }),
      done: () => pressed !== undefined,
      evidence: () => ({ page, pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      if (page === target.page)
        return turn('the item is on this page: press it', { type: 'click', point: point(goal) });
      const stride = target.page > page ? 1 : -1;
      const next = find ? page + stride : target.page;
      const name = !numbers || (find && arrows) ? (stride > 0 ? 'next' : 'before') : `page-${next}`;
      const thought = find
        ? `it is not on page ${page + 1}: go to page ${page + 1 + stride}`
        : `this is page ${page + 1}: go to page ${target.page + 1}`;
      return turn(thought, { type: 'click', point: point(name) });
    },
  };
}
