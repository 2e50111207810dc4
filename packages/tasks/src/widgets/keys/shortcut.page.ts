import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, scoreParts, turn } from '../parts.js';

export interface ShortcutArgument {
  /** Modifiers, then the key: `ctrl shift t`. */
  readonly keys: string;
}

export default function shortcutVerifier({ keys }: ShortcutArgument): PageVerifier {
  let pressed: string | undefined;
  document.addEventListener(
    'keydown',
    (event) => {
      event.preventDefault();
      if (!event.isTrusted || pressed !== undefined || ['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return;
      const modifiers = [
        ...(event.ctrlKey ? ['ctrl'] : []),
        ...(event.altKey ? ['alt'] : []),
        ...(event.metaKey ? ['meta'] : []),
        ...(event.shiftKey ? ['shift'] : []),
      ];
      // With shift, a digit key yields another character.
      const key = /^(Key|Digit)(.)$/.exec(event.code)?.[2] ?? event.key;
      pressed = [...modifiers, key.toLowerCase()].join(' ');
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
