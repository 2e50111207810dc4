import { GyreError, noKey } from '@gyre/protocol';
import { hotkeyOf, keyNamed, strokeOf, type Key } from '../input/keyboard.js';
import { checkTyped } from '../input/typedText.js';

/** What QEMU calls a key of a US keyboard (QKeyCode of its qapi/ui.json). */
export type Qcode = string;

/** A key, and whether shift is held with it. */
export interface QemuStroke {
  readonly qcode: Qcode;
  readonly shifted: boolean;
}

/** By DOM `code`; letters, digits and function keys follow a rule. */
const qcodes: Readonly<Record<string, Qcode>> = {
  Enter: 'ret',
  Tab: 'tab',
  Escape: 'esc',
  Backspace: 'backspace',
  Delete: 'delete',
  Insert: 'insert',
  Space: 'spc',
  ArrowLeft: 'left',
  ArrowUp: 'up',
  ArrowRight: 'right',
  ArrowDown: 'down',
  Home: 'home',
  End: 'end',
  PageUp: 'pgup',
  PageDown: 'pgdn',
  CapsLock: 'caps_lock',
  NumLock: 'num_lock',
  ScrollLock: 'scroll_lock',
  PrintScreen: 'print',
  Pause: 'pause',
  ContextMenu: 'menu',
  Help: 'help',
  AudioVolumeUp: 'volumeup',
  AudioVolumeDown: 'volumedown',
  AudioVolumeMute: 'audiomute',
  MediaPlayPause: 'audioplay',
  MediaStop: 'audiostop',
  MediaTrackNext: 'audionext',
  MediaTrackPrevious: 'audioprev',
  BrowserBack: 'ac_back',
  BrowserForward: 'ac_forward',
  BrowserRefresh: 'ac_refresh',
  BrowserHome: 'ac_home',
  AltLeft: 'alt',
  ControlLeft: 'ctrl',
  MetaLeft: 'meta_l',
  ShiftLeft: 'shift',
  Backquote: 'grave_accent',
  Minus: 'minus',
  Equal: 'equal',
  BracketLeft: 'bracket_left',
  BracketRight: 'bracket_right',
  Backslash: 'backslash',
  Semicolon: 'semicolon',
  Quote: 'apostrophe',
  Comma: 'comma',
  Period: 'dot',
  Slash: 'slash',
};

function qcodeOf({ key, code }: Key): Qcode {
  const qcode = qcodes[code] ?? /^(?:Key|Digit|(?=F\d))(\w+)$/.exec(code)?.[1]?.toLowerCase();
  return qcode ?? noKey(key);
}

/** Throws `bad_input` for names that it does not know. */
export function qcodeNamed(name: string): Qcode {
  return qcodeOf(keyNamed(name));
}

/** Throws `bad_input` for none, for more than three and for unknown ones. */
export function qcodesOf(hotkey: string): Qcode[] {
  return hotkeyOf(hotkey).map(qcodeOf);
}

/**
 * The keys that type a text where the guest has a US keyboard. Throws `bad_input` for characters that such a keyboard does not have:
 * what another layout of the guest's makes of its keys is not known outside.
 */
export function strokesOf(text: string): QemuStroke[] {
  checkTyped(text);
  return Array.from(text.replace(/\r\n?/g, '\n'), (character) => {
    if (character === '\n') return { qcode: 'ret', shifted: false };
    if (character === '\t') return { qcode: 'tab', shifted: false };
    const stroke = strokeOf(character);
    if (stroke) return { qcode: qcodeOf(stroke.key), shifted: stroke.shifted };
    throw new GyreError('bad_input', `"${character}" is not on the keyboard of the machine`, {
      field: 'text',
      fix: 'type what a US keyboard has: a machine is typed into by its keys alone',
    });
  });
}
