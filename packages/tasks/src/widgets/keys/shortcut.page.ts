import type { Verifier } from '../../family/verifier.js';
import { named, scoreParts, turn } from '../parts.js';

export interface ShortcutArgument {
  /** The right keys as a hotkey has them: modifiers, then the key, as in `ctrl shift t`. */
  readonly keys: string;
}

/** Keeps the combination that was pressed first. */
export default function shortcutVerifier({ keys }: ShortcutArgument): Verifier {
  let pressed: string | undefined;
  document.addEventListener(
    'keydown',
    (event) => {
      event.preventDefault();
      if (!event.isTrusted || pressed !== undefined || ['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return;
      const held = [
        ...(event.ctrlKey ? ['ctrl'] : []),
        ...(event.altKey ? ['alt'] : []),
        ...(event.metaKey ? ['meta'] : []),
        ...(event.shiftKey ? ['shift'] : []),
      ];
      // The key itself: with shift held, a digit is another character.
      const key = /^(Key|Digit)(.)$/.exec(event.code)?.[2] ?? event.key;
      pressed = [...held, key.toLowerCase()].join(' ');
      named('last').textContent = pressed;
    },
    true,
  );
  return {
    read: scoreParts({
      parts: () => ({ keys: pressed === keys }),
      done: () => pressed !== undefined,
      evidence: () => ({ pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      return turn(`its keys are ${keys.replaceAll(' ', '+')}`, { type: 'hotkey', keys });
    },
  };
}
