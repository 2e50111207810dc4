import { keyName, noKey } from '@gyre/protocol';
import { keyNamed } from '../input/keyboard.js';

/** pyautogui's names by DOM names. */
const names: Readonly<Record<string, string>> = {
  Enter: 'enter',
  Tab: 'tab',
  Escape: 'esc',
  Backspace: 'backspace',
  Delete: 'delete',
  Insert: 'insert',
  ' ': 'space',
  ArrowLeft: 'left',
  ArrowUp: 'up',
  ArrowRight: 'right',
  ArrowDown: 'down',
  Home: 'home',
  End: 'end',
  PageUp: 'pageup',
  PageDown: 'pagedown',
  CapsLock: 'capslock',
  Alt: 'alt',
  Control: 'ctrl',
  Meta: 'win',
  Shift: 'shift',
  NumLock: 'numlock',
  ScrollLock: 'scrolllock',
  PrintScreen: 'printscreen',
  Pause: 'pause',
  ContextMenu: 'apps',
  Help: 'help',
  Clear: 'clear',
  AudioVolumeUp: 'volumeup',
  AudioVolumeDown: 'volumedown',
  AudioVolumeMute: 'volumemute',
  MediaPlayPause: 'playpause',
  MediaStop: 'stop',
  MediaTrackNext: 'nexttrack',
  MediaTrackPrevious: 'prevtrack',
};

/** Returns pyautogui's name of a key. Throws `bad_input` for unknown names. */
export function pyautoguiKey(name: string, mac: boolean): string {
  const { key } = keyNamed(name);
  if (mac && key === 'Meta') return 'command';
  // Letters are those of the unshifted key: a hotkey that wants shift says so.
  return names[key] ?? key.toLowerCase();
}

/** Returns the key of a pyautogui name. Throws `bad_input` for unknown names. */
export function keyOfPyautogui(name: string): string {
  keyNamed(name);
  return keyName(name) ?? noKey(name);
}
