import type { Watch } from '../family/watch.js';
import type { WidgetTools } from './widgetWatch.js';

export interface ShortcutArgument {
  /** The right keys as a hotkey has them: modifiers, then the key, as in `ctrl shift t`. */
  readonly keys: string;
}

/** Keeps the combination that was pressed first. Runs in the page: it refers to nothing outside itself. */
export function watchShortcut({ keys }: ShortcutArgument, tools: WidgetTools): Watch {
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
      tools.named('last').textContent = pressed;
    },
    true,
  );
  return {
    read: tools.judge({
      parts: () => ({ keys: pressed === keys }),
      done: () => pressed !== undefined,
      evidence: () => ({ pressed: pressed ?? null }),
    }),
    solve() {
      if (pressed !== undefined) return [];
      return tools.turn(`its keys are ${keys.replaceAll(' ', '+')}`, { type: 'hotkey', keys });
    },
  };
}
