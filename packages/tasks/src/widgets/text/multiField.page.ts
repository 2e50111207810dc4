import type { PageVerifier } from '../../family/pageVerifier.js';
import { editableFields } from '../../family/fields.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface MultiFieldArgument {
  readonly texts: readonly string[];
  readonly target: readonly string[];
  /** Fields that the instruction names. */
  readonly goals: readonly number[];
  readonly focused?: number;
  readonly button: number;
}

export default function multiFieldVerifier(argument: MultiFieldArgument): PageVerifier {
  const { texts, target, goals, focused, button } = argument;
  let pressed: string | undefined;
  const goal = `button-${button}`;
  const fields = editableFields(
    texts.map((_, index) => named(`field-${index}`)),
    { texts, ...(focused !== undefined && { focused }), locked: () => pressed !== undefined },
  );
  onPress((name) => {
    if (pressed !== undefined || !name.startsWith('button-')) return;
    pressed = name;
    named(name).classList.add('pressed');
  });

  const isRight = (field: number) => fields.texts[field] === target[field];
  return {
    read: scoreParts({
      parts: () => ({
        ...Object.fromEntries(goals.map((field) => [`field${field}`, isRight(field)])),
        others: texts.every((_, field) => goals.includes(field) || isRight(field)),
        button: pressed === goal,
      }),
      done: () => pressed !== undefined,
      evidence: () => ({ texts: [...fields.texts], pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      const field = texts.findIndex((_, index) => !isRight(index));
      if (field < 0) return turn('the fields are right: press the button', { type: 'click', point: point(goal) });
      const text = fields.texts[field] ?? '';
      const aim = target[field] ?? '';
      if (fields.focused() !== field) {
        const type = text ? 'double_click' : 'click';
        const thought = text ? `"${text}" has to go: select it` : `"${aim}" is missing: go to its field`;
        return turn(thought, { type, point: point(`field-${field}`) });
      }
      if (text && fields.selected() !== text)
        return turn(`"${text}" has to go: select it`, { type: 'hotkey', keys: 'ctrl a' });
      if (aim === '') return turn('nothing should stand here: delete it', { type: 'hotkey', keys: 'delete' });
      return turn(`the field is ready: type "${aim}"`, { type: 'type', text: aim });
    },
  };
}
