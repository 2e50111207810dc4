import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface AccordionArgument {
  readonly count: number;
  readonly target: { readonly section: number; readonly button: number };
  readonly open?: number;
}

export default function accordionVerifier({ count, target, open: first }: AccordionArgument): PageVerifier {
  let open = first;
  let pressed: string | undefined;
  const goal = `button-${target.section}-${target.button}`;

  const draw = () => {
    for (let section = 0; section < count; section++) {
      named(`head-${section}`).classList.toggle('open', section === open);
      named(`panel-${section}`).hidden = section !== open;
    }
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  onPress((name) => {
    if (pressed !== undefined) return;
    const [kind, section] = name.split('-');
    if (kind === 'head') open = open === Number(section) ? undefined : Number(section);
    if (kind === 'button') pressed = name;
    draw();
  });
  draw();

  return {
    read: scoreParts({
      parts: () => ({ section: open === target.section, button: pressed === goal }),
      done: () => pressed !== undefined,
      evidence: () => ({ open: open ?? null, pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      if (open === target.section)
        return turn('the section is open: press the button', { type: 'click', point: point(goal) });
      const head = `head-${target.section}`;
      const title = named(head).textContent;
      return turn(`the section "${title}" is closed: open it`, { type: 'click', point: point(head) });
    },
  };
}
