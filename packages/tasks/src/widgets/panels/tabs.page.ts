import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface TabsArgument {
  readonly count: number;
  readonly target: { readonly tab: number; readonly button: number };
  readonly open: number;
}

export default function tabsVerifier({ count, target, open: first }: TabsArgument): PageVerifier {
  let open = first;
  let pressed: string | undefined;
  const goal = `button-${target.tab}-${target.button}`;

  const draw = () => {
    for (let tab = 0; tab < count; tab++) {
      named(`tab-${tab}`).classList.toggle('open', tab === open);
      named(`panel-${tab}`).hidden = tab !== open;
    }
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  onPress((name) => {
    if (pressed !== undefined) return;
    const [kind, tab] = name.split('-');
    if (kind === 'tab') open = Number(tab);
    if (kind === 'button') pressed = name;
    draw();
  });
  draw();

  return {
    read: scoreParts({
      parts: () => ({ tab: open === target.tab, button: pressed === goal }),
      done: () => pressed !== undefined,
      evidence: () => ({ open, pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      if (open === target.tab) return turn('the tab is open: press the button', { type: 'click', point: point(goal) });
      const tab = `tab-${target.tab}`;
      const title = named(`tab-${open}`).textContent;
      return turn(`"${title}" is open: go to "${named(tab).textContent}"`, { type: 'click', point: point(tab) });
    },
  };
}
