import type { Verifier } from '../../family/verifier.js';
import { editableFields } from '../../family/fields.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface ReadAndTypeArgument {
  /** What is to be typed. */
  readonly text: string;
  /** Whether the field has the keyboard at first. */
  readonly focused: boolean;
  /** Number of the right button; absent: enter ends the task. */
  readonly button?: number;
}

/** Keeps the text of a field and how it was sent. */
export default function readAndTypeVerifier({ text, focused, button }: ReadAndTypeArgument): Verifier {
  let sent: string | undefined;
  const wanted = button === undefined ? 'enter' : `button-${button}`;
  const fields = editableFields([named('field')], {
    ...(focused && { focused: 0 }),
    onEnter: () => {
      if (button !== undefined || sent !== undefined) return;
      sent = 'enter';
      named('field').classList.add('done');
    },
    locked: () => sent !== undefined,
  });
  onPress((name) => {
    if (sent !== undefined || !name.startsWith('button-')) return;
    sent = name;
    named(name).classList.add('pressed');
  });

  return {
    read: scoreParts({
      parts: () => ({ text: fields.texts[0] === text, sent: sent === wanted }),
      done: () => sent !== undefined,
      evidence: () => ({ text: fields.texts[0], sent: sent ?? null }),
    }),
    solve() {
      if (sent !== undefined) return [];
      const written = fields.texts[0] ?? '';
      if (written === text && button !== undefined)
        return turn(`"${text}" stands in the field: press the button`, { type: 'click', point: point(wanted) });
      if (fields.focused() === undefined)
        return turn(`"${text}" is what to type: go to the field`, { type: 'click', point: point('field') });
      if (written === text)
        return turn(`"${text}" stands in the field: press enter`, { type: 'hotkey', keys: 'enter' });
      if (written && fields.selected() !== written)
        return turn('the text is wrong: select it', { type: 'hotkey', keys: 'ctrl a' });
      return turn(`the field is ready: type "${text}"`, { type: 'type', text });
    },
  };
}
