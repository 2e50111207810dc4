import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface ContextMenuArgument {
  readonly target: { readonly row: number; readonly item: number };
  readonly rows: number;
}

export default function contextMenuVerifier({ target, rows }: ContextMenuArgument): PageVerifier {
  const pop = named('pop');
  let open: number | undefined;
  let lit: number | undefined;
  let chosen: string | undefined;

  const draw = () => {
    for (let row = 0; row < rows; row++) named(`row-${row}`).classList.toggle('lit', row === lit);
    pop.hidden = open === undefined;
    if (chosen !== undefined) named(chosen).classList.add('pressed');
  };
  document.addEventListener('contextmenu', (event) => event.preventDefault(), true);
  document.addEventListener(
    'mousedown',
    (event) => {
      if (!event.isTrusted || event.button !== 2 || chosen !== undefined || !(event.target instanceof Element)) return;
      if (pop.contains(event.target)) return;
      const name = event.target.closest<HTMLElement>('[data-name^="row-"]')?.dataset.name;
      open = lit = name === undefined ? undefined : Number(name.split('-')[1]);
      draw();
      const { width, height } = pop.getBoundingClientRect();
      pop.style.left = `${Math.max(0, Math.min(event.clientX + 1, window.innerWidth - width - 1))}px`;
      pop.style.top = `${Math.max(0, Math.min(event.clientY + 1, window.innerHeight - height - 1))}px`;
    },
    true,
  );
  onPress((name) => {
    if (chosen !== undefined || name === 'pop') return;
    const [kind, index] = name.split('-');
    if (kind === 'item') chosen = name;
    else {
      open = undefined;
      lit = kind === 'row' ? Number(index) : undefined;
    }
    draw();
  });
  draw();

  const goal = `item-${target.item}`;
  return {
    read: scoreParts({
      parts: () => ({ row: open === target.row, item: chosen === goal }),
      done: () => chosen !== undefined,
      evidence: () => ({ open: open ?? null, chosen: chosen ?? null }),
    }),
    solve() {
      if (chosen !== undefined) return [];
      if (open === target.row) return turn('its menu is open: choose the item', { type: 'click', point: point(goal) });
      const row = `row-${target.row}`;
      if (open !== undefined) {
        // The menu may cover the row.
        return turn('this is the menu of another row: close it', { type: 'click', point: { x: 0.002, y: 0.998 } });
      }
      return turn(`open the menu of "${named(row).textContent}"`, { type: 'right_click', point: point(row, 0.25) });
    },
  };
}
