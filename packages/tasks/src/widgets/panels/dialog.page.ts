import type { Verifier } from '../../family/verifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface DialogArgument {
  /** Number of the right answer; absent: the dialog is to be closed without one. */
  readonly answer?: number;
  /** Number of the right button of the page; absent: the answer is all. */
  readonly button?: number;
}

/** Keeps how the dialog was left and which button was pressed. */
export default function dialogVerifier({ answer, button }: DialogArgument): Verifier {
  const way = answer === undefined ? 'shut' : `answer-${answer}`;
  let left: string | undefined;
  let pressed: string | undefined;
  const isDone = () => pressed !== undefined || (button === undefined && left !== undefined);

  const draw = () => {
    named('cover').hidden = left !== undefined;
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  onPress((name) => {
    if (isDone()) return;
    if (left === undefined) {
      if (name === 'shut' || name.startsWith('answer-')) left = name;
    } else if (name.startsWith('button-')) pressed = name;
    draw();
  });
  // Escape closes it, as it does everywhere.
  document.addEventListener(
    'keydown',
    (event) => {
      if (!event.isTrusted || event.key !== 'Escape' || left !== undefined) return;
      left = 'shut';
      draw();
    },
    true,
  );
  draw();

  return {
    read: scoreParts({
      parts: () => ({ dialog: left === way, ...(button !== undefined && { button: pressed === `button-${button}` }) }),
      done: isDone,
      evidence: () => ({ left: left ?? null, pressed: pressed ?? null }),
    }),
    solve() {
      if (isDone()) return [];
      if (left !== undefined)
        return turn('the dialog is gone: press the button', { type: 'click', point: point(`button-${button}`) });
      const thought =
        answer === undefined ? 'a dialog covers the page: close it' : 'a dialog covers the page: answer it';
      return turn(thought, { type: 'click', point: point(way) });
    },
  };
}
