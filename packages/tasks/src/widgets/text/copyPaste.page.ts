import type { PageVerifier } from '../../family/pageVerifier.js';
import { editableFields } from '../../family/fields.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface CopyPasteArgument {
  readonly texts: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly button: number;
}

export default function copyPasteVerifier({ texts: first, from, to, button }: CopyPasteArgument): PageVerifier {
  let pressed: string | undefined;
  const fields = editableFields(
    first.map((_, index) => named(`field-${index}`)),
    { texts: first, locked: () => pressed !== undefined },
  );
  onPress((name) => {
    if (pressed !== undefined || !name.startsWith('button-')) return;
    pressed = name;
    named(name).classList.add('pressed');
  });
  const text = first[from] ?? '';
  const isCopied = () => fields.clipboard() === text;
  const isPasted = () => fields.texts.every((now, index) => now === (index === to ? text : first[index]));

  return {
    read: scoreParts({
      parts: () => ({ copied: isCopied() || isPasted(), pasted: isPasted(), button: pressed === `button-${button}` }),
      done: () => pressed !== undefined,
      evidence: () => ({ texts: [...fields.texts], clipboard: fields.clipboard(), pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      if (isPasted()) return turn('it is there: press the button', { type: 'click', point: point(`button-${button}`) });
      const field = isCopied() ? to : from;
      const now = fields.texts[field] ?? '';
      const select = isCopied() ? 'select what is in the field, to write over it' : 'select the text';
      if (fields.focused() !== field || fields.selected() !== now) {
        if (now === '')
          return turn('the text is copied: go to the empty field', { type: 'click', point: point(`field-${field}`) });
        // The oracle shows both ways to select a word.
        if (fields.focused() !== field && field === from)
          return turn(select, { type: 'double_click', point: point(`field-${field}`, 0.12) });
        if (fields.focused() !== field)
          return turn('the text is copied: go to the other field', { type: 'click', point: point(`field-${field}`) });
        return turn(select, { type: 'hotkey', keys: 'ctrl a' });
      }
      if (!isCopied()) return turn('the text is selected: copy it', { type: 'hotkey', keys: 'ctrl c' });
      return turn('paste it', { type: 'hotkey', keys: 'ctrl v' });
    },
  };
}
