import type { Verifier } from '../../family/verifier.js';
import { editableFields } from '../../family/fields.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface SearchArgument {
  readonly query: string;
  /** Number of the right result. */
  readonly target: number;
  /** Whether the field has the keyboard at first. */
  readonly focused: boolean;
  /** Whether there is a button that searches. */
  readonly go: boolean;
}

/** Keeps what was searched for and which result was pressed. */
export default function searchVerifier({ query, target, focused, go }: SearchArgument): Verifier {
  let searched: string | undefined;
  let pressed: string | undefined;
  const wanted = `item-1-${target}`;
  const isFound = () => searched === query;

  const draw = () => {
    // What is there before a search, what the right one finds, and what every other one finds.
    const list = searched === undefined ? 0 : isFound() ? 1 : 2;
    for (let index = 0; index < 3; index++) named(`found-${index}`).hidden = index !== list;
    if (pressed !== undefined) named(pressed).classList.add('pressed');
  };
  const submit = () => {
    const text = (fields.texts[0] ?? '').trim();
    if (text && pressed === undefined) searched = text;
    draw();
  };
  const fields = editableFields([named('field')], {
    ...(focused && { focused: 0 }),
    onEnter: submit,
    locked: () => pressed !== undefined,
  });
  onPress((name) => {
    if (pressed !== undefined) return;
    if (name === 'go') submit();
    if (name.startsWith('item-')) pressed = name;
    draw();
  });
  draw();

  return {
    read: scoreParts({
      parts: () => ({ query: isFound(), result: pressed === wanted }),
      done: () => pressed !== undefined,
      evidence: () => ({ text: fields.texts[0], searched: searched ?? null, pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      if (isFound()) return turn('the results are there: press the right one', { type: 'click', point: point(wanted) });
      const text = fields.texts[0] ?? '';
      if (text === query) {
        if (go) return turn('the text is in the field: press the button', { type: 'click', point: point('go') });
        return turn('the text is in the field: press enter', { type: 'hotkey', keys: 'enter' });
      }
      if (fields.focused() === undefined)
        return turn('go to the search field', { type: 'click', point: point('field') });
      if (text && fields.selected() !== text)
        return turn('the text is wrong: select it', { type: 'hotkey', keys: 'ctrl a' });
      return turn(`the field is ready: type "${query}"`, { type: 'type', text: query });
    },
  };
}
