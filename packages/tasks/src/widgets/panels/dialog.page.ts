import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface DialogArgument {
  /** If absent, the dialog is to be closed. */
  readonly answer?: number;
  /** The button to press on the page; if absent, the answer ends the task. */
  readonly button?: number;
}

export default function dialogVerifier({ answer, button }: DialogArgument): PageVerifier {
  const goal = answer === undefined ? 'shut' : `answer-${answer}`;
  let dismissal: string | undefined;
  let pressed: string | undefined;
  const isDone = () => pressed !== undefined || (button === undefined && dismissal !== undefined);

  const draw = () => {
    named('cover').hidden = dismissal !== undefined;
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  onPress((name) => {
    if (isDone()) return;
    if (dismissal === undefined) {
      if (name === 'shut' || name.startsWith('answer-')) dismissal = name;
    } else if (name.startsWith('button-')) pressed = name;
    draw();
  });
  document.addEventListener(
    'keydown',
    (event) => {
      if (!event.isTrusted || event.key !== 'Escape' || dismissal !== undefined) return;
      dismissal = 'shut';
      draw();
    },
    true,
  );
  draw();

  return {
    read: scoreParts({
      parts: () => ({
        dialog: dismissal === goal,
        ...(button !== undefined && { button: pressed === `button-${button}` }),
      }),
      done: isDone,
      evidence: () => ({ left: dismissal ?? null, pressed: pressed ?? null }),
    }),
    solve() {
      if (isDone()) return [];
      if (dismissal !== undefined)
        return turn('the dialog is gone: press the button', { type: 'click', point: point(`button-${button}`) });
      const thought =
        answer === undefined ? 'a dialog covers the page: close it' : 'a dialog covers the page: answer it';
      return turn(thought, { type: 'click', point: point(goal) });
    },
  };
}
