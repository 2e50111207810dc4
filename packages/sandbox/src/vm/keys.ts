import { GyreError, throwUnknownKey } from '@gyre/protocol';
import { type Key, type Stroke, strokesOf } from '../input/keys.js';
import { checkTyped } from '../input/typedText.js';

/** Throws `bad_input` for keys unknown to QEMU. */
export function qcodeOf({ qcode, name }: Key): string {
  return qcode ?? throwUnknownKey(name);
}

/** Types on a US keyboard. Throws `bad_input` for other characters: the guest's layout is unknown. */
export function guestStrokes(text: string): Stroke[] {
  checkTyped(text);
  return Array.from(strokesOf(text), (part) => {
    if (typeof part !== 'string') return part;
    throw new GyreError('bad_input', `"${[...part][0]}" is not on the keyboard of the machine`, {
      field: 'text',
      fix: 'type characters of a US keyboard: a machine accepts keys only',
    });
  });
}
