import type { PageVerifier } from '../../family/pageVerifier.js';
import { editableFields } from '../../family/fields.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface SearchArgument {
  readonly query: string;
  readonly target: number;
  readonly focused: boolean;
  readonly go: boolean;
}

export default function searchVerifier({ query, target, focused, go }: SearchArgument): PageVerifier {
  let searched: string | undefined;
  let pressed: string | undefined;
  const goal = `item-1-${target}`;
  const isFound = () => searched === query;

  const draw = () => {
    // List 0 precedes any search, 1 answers the right query, 2 any other.
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
      parts: () => ({ query: isFound(), result: pressed === goal }),
      done: () => pressed !== undefined,
      evidence: () => ({ text: fields.texts[0], searched: searched ?? null, pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      if (isFound()) return turn('the results are there: press the right one', { type: 'click', point: point(goal) });
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
