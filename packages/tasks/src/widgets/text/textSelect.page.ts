import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface TextSelectArgument {
  readonly count: number;
  readonly first: number;
  readonly last: number;
  /** If absent, the selection ends the task. */
  readonly button?: number;
}

/** A double click selects one word, a drag all that it touches. */
export default function textSelectVerifier({ count, first, last, button }: TextSelectArgument): PageVerifier {
  let anchor: number | undefined;
  let chosen: readonly [number, number] | undefined;
  let pressed: string | undefined;
  const isRight = () => chosen?.[0] === first && chosen[1] === last && anchor === undefined;
  const isDone = () => (button === undefined ? isRight() : pressed !== undefined);

  const draw = () => {
    for (let word = 0; word < count; word++) {
      named(`word-${word}`).classList.toggle('chosen', chosen !== undefined && word >= chosen[0] && word <= chosen[1]);
    }
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  const wordAt = ({ target }: Event): number | undefined => {
    const name =
      target instanceof Element ? target.closest<HTMLElement>('[data-name^="word-"]')?.dataset.name : undefined;
    return name === undefined ? undefined : Number(name.split('-')[1]);
  };
  document.addEventListener(
    'mousedown',
    (event) => {
      if (!event.isTrusted || event.button !== 0 || isDone() || !(event.target instanceof Element)) return;
      if (!named('words').contains(event.target)) return;
      const word = wordAt(event);
      chosen = event.detail >= 2 && word !== undefined ? [word, word] : undefined;
      // A drag does not extend the selection of a double click.
      anchor = event.detail >= 2 ? undefined : word;
      draw();
    },
    true,
  );
  document.addEventListener(
    'mousemove',
    (event) => {
      const word = wordAt(event);
      if (!event.isTrusted || !(event.buttons & 1) || anchor === undefined || word === undefined) return;
      chosen = [Math.min(anchor, word), Math.max(anchor, word)];
      draw();
    },
    true,
  );
  document.addEventListener('mouseup', () => (anchor = undefined), true);
  onPress((name) => {
    if (isDone() || !name.startsWith('button-')) return;
    pressed = name;
    draw();
  });

  return {
    read: scoreParts({
      parts: () => ({
        text: isRight(),
        ...(button !== undefined && { button: pressed === `button-${button}` }),
      }),
      done: isDone,
      evidence: () => ({ chosen: chosen ?? null, pressed: pressed ?? null }),
    }),
    solve() {
      if (isDone()) return [];
      if (isRight())
        return turn('the words are selected: press the button', { type: 'click', point: point(`button-${button}`) });
      const start = point(`word-${first}`);
      if (first === last) return turn('a double click selects a word', { type: 'double_click', point: start });
      return turn('drag over the words', { type: 'drag', start, end: point(`word-${last}`) });
    },
  };
}
