import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface MenuArgument {
  readonly target: { readonly menu: number; readonly item: number };
  readonly sizes: readonly number[];
  readonly open?: number;
}

export default function menuVerifier({ target, sizes, open: first }: MenuArgument): PageVerifier {
  let open = first;
  let chosen: string | undefined;
  const goal = `item-${target.menu}-${target.item}`;

  const draw = () => {
    for (const menu of sizes.keys()) {
      named(`menu-${menu}`).classList.toggle('open', menu === open);
      named(`pop-${menu}`).hidden = menu !== open;
    }
    if (chosen !== undefined) named(chosen).classList.add('pressed');
  };
  onPress((name) => {
    if (chosen !== undefined) return;
    const [kind, menu] = name.split('-');
    if (kind === 'item') chosen = name;
    else if (kind === 'menu') open = open === Number(menu) ? undefined : Number(menu);
    else if (kind !== 'pop') open = undefined;
    draw();
  });
  draw();

  return {
    read: scoreParts({
      parts: () => ({ menu: open === target.menu, item: chosen === goal }),
      done: () => chosen !== undefined,
      evidence: () => ({ open: open ?? null, chosen: chosen ?? null }),
    }),
    solve() {
      if (chosen !== undefined) return [];
      if (open === target.menu) {
        const label = named(goal).textContent;
        return turn(`the menu is open: choose "${label}"`, { type: 'click', point: point(goal) });
      }
      const title = named(`menu-${target.menu}`).textContent;
      return turn(`the menu "${title}" is closed: open it`, { type: 'click', point: point(`menu-${target.menu}`) });
    },
  };
}
