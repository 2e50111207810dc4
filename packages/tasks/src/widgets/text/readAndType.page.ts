import type { PageVerifier } from '../../family/pageVerifier.js';
import { editableFields } from '../../family/fields.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface ReadAndTypeArgument {
  readonly text: string;
  readonly focused: boolean;
  /** If absent, enter ends the task. */
  readonly button?: number;
}

export default function readAndTypeVerifier({ text, focused, button }: ReadAndTypeArgument): PageVerifier {
  let sent: string | undefined;
  const goal = button === undefined ? 'enter' : `button-${button}`;
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
      parts: () => ({ text: fields.texts[0] === text, sent: sent === goal }),
      done: () => sent !== undefined,
      evidence: () => ({ text: fields.texts[0], sent: sent ?? null }),
    }),
    solve() {
      if (sent !== undefined) return [];
      const written = fields.texts[0] ?? '';
      if (written === text && button !== undefined)
        return turn(`"${text}" stands in the field: press the button`, { type: 'click', point: point(goal) });
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
