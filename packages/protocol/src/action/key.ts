import { GyreError } from '../error.js';

/** Also valid are `f1` to `f24`; other keys are named by their character. */
export const keyNames = [
  ...['enter', 'tab', 'escape', 'backspace', 'delete', 'insert', 'space'],
  ...['arrowleft', 'arrowup', 'arrowright', 'arrowdown', 'home', 'end', 'pageup', 'pagedown'],
  ...['capslock', 'numlock', 'scrolllock', 'printscreen', 'pause', 'menu', 'help', 'clear'],
  ...['ctrl', 'alt', 'shift', 'meta'],
  ...['volumeup', 'volumedown', 'volumemute', 'playpause', 'stop', 'nexttrack', 'previoustrack'],
  ...['browserback', 'browserforward', 'browserrefresh', 'browserhome', 'browsersearch'],
] as const;
export type KeyName = (typeof keyNames)[number];

/**
 * Names in public action spaces: UI-TARS, Anthropic and xdotool (X keysyms), OpenAI, Qwen-VL, pyautogui, nut.js, DOM
 * (Playwright). Lower case, without spaces, `_` and `-`; left and right variants are one key.
 */
const aliases: Readonly<Record<KeyName, string>> = {
  enter: 'return ret linefeed kpenter numpadenter numenter',
  tab: 'kptab isolefttab',
  escape: 'esc',
  backspace: 'bksp bs',
  delete: 'del kpdelete',
  insert: 'ins kpinsert',
  space: 'spacebar spc kpspace',
  arrowleft: 'left leftarrow kpleft',
  arrowup: 'up uparrow kpup',
  arrowright: 'right rightarrow kpright',
  arrowdown: 'down downarrow kpdown',
  home: 'kphome kpbegin begin',
  end: 'kpend',
  pageup: 'pgup pgu prior kpprior kppageup',
  pagedown: 'pgdn pgdown pgd next kpnext kppagedown',
  capslock: 'caps',
  numlock: '',
  scrolllock: 'scrlk scrolllk',
  printscreen: 'print prtsc prtscr prntscrn prtscn snapshot sysreq',
  pause: 'break pausebreak',
  menu: 'contextmenu apps app application',
  help: '',
  clear: 'kpclear',
  ctrl: 'control ctl controlleft controlright controll controlr ctrlleft ctrlright ctrll ctrlr leftctrl rightctrl leftcontrol rightcontrol lctrl rctrl lcontrol rcontrol controlormeta',
  alt: 'altleft altright altl altr leftalt rightalt lalt ralt option optionleft optionright opt altgr altgraph isolevel3shift modeswitch',
  shift: 'shiftleft shiftright shiftl shiftr leftshift rightshift lshift rshift',
  meta: 'metaleft metaright metal metar cmd command leftcmd rightcmd cmdleft cmdright commandleft commandright win windows winleft winright leftwin rightwin lwin rwin windowskey super superl superr leftsuper rightsuper superleft superright leftmeta rightmeta os',
  volumeup: 'audiovolumeup xf86audioraisevolume audiovolup',
  volumedown: 'audiovolumedown xf86audiolowervolume audiovoldown',
  volumemute: 'mute audiovolumemute audiomute xf86audiomute',
  playpause: 'mediaplaypause xf86audioplay audioplay play',
  stop: 'mediastop xf86audiostop audiostop',
  nexttrack: 'medianexttrack mediatracknext xf86audionext audionext',
  previoustrack: 'prevtrack mediaprevioustrack mediatrackprevious xf86audioprev audioprev',
  browserback: 'xf86back goback',
  browserforward: 'xf86forward goforward',
  browserrefresh: 'xf86refresh xf86reload refresh reload',
  browserhome: 'xf86homepage',
  browsersearch: 'xf86search',
};

const characterNames: Readonly<Record<string, string>> = {
  '+': 'plus kpadd add numpadadd',
  '-': 'minus dash hyphen kpsubtract subtract numpadsubtract',
  '*': 'asterisk star multiply kpmultiply numpadmultiply',
  '/': 'slash forwardslash divide kpdivide numpaddivide',
  '=': 'equal equals kpequal numpadequal',
  '.': 'period dot fullstop decimal kpdecimal numpaddecimal',
  ',': 'comma separator kpseparator numpadcomma',
  ';': 'semicolon',
  ':': 'colon',
  "'": 'quote apostrophe singlequote quoteright',
  '"': 'quotedbl doublequote',
  '`': 'backquote grave backtick graveaccent quoteleft',
  '~': 'tilde asciitilde',
  '!': 'exclam exclamation exclamationmark',
  '@': 'at atsign',
  '#': 'hash numbersign pound',
  $: 'dollar',
  '%': 'percent',
  '^': 'caret asciicircum circumflex',
  '&': 'ampersand',
  '(': 'parenleft leftparen openparen leftparenthesis',
  ')': 'parenright rightparen closeparen rightparenthesis',
  _: 'underscore',
  '[': 'bracketleft leftbracket openbracket',
  ']': 'bracketright rightbracket closebracket',
  '{': 'braceleft leftbrace openbrace',
  '}': 'braceright rightbrace closebrace',
  '\\': 'backslash intlbackslash',
  '|': 'bar pipe verticalbar',
  '<': 'less lessthan',
  '>': 'greater greaterthan',
  '?': 'question questionmark',
};

const names: ReadonlyMap<string, string> = new Map(
  [...Object.entries(aliases), ...Object.entries(characterNames)].flatMap(([name, others]) =>
    [name, ...others.split(' ')].filter((each) => each !== '').map((each): [string, string] => [each, name]),
  ),
);

/** As in pyautogui. */
const blanks: Readonly<Record<string, string>> = { ' ': 'space', '\n': 'enter', '\r': 'enter', '\t': 'tab' };

/** Returns gyre's name: one of {@link keyNames}, `f1` to `f24`, or one character. */
export function keyName(name: string): string | undefined {
  if ([...name].length === 1) return blanks[name] ?? name;
  const plain = name.toLowerCase().replace(/[\s_-]/g, '');
  const known = names.get(plain);
  if (known !== undefined) return known;
  if (/^f(?:[1-9]|1\d|2[0-4])$/.test(plain)) return plain;
  return /^(?:key([a-z])|(?:digit|numpad|num|kp)([0-9]))$/.exec(plain)?.slice(1).find(Boolean);
}

/**
 * Splits any model's spelling: `ctrl c`, `ctrl+c`, `Ctrl-C`, `ctrl + shift + plus`, `ctrl++`, `page down`.
 *
 * @param isKey tells two-word names and minus separators from the rest.
 * @returns names as written; unknown text stays apart.
 */
export function splitKeys(keys: string, isKey: (name: string) => boolean): string[] {
  if ([...keys].length === 1) return [keys];
  const words = keys
    .trim()
    .replace(/^\[\s*(['"].*['"])\s*\]$/, (_, list: string) => list.replace(/['"]/g, ''))
    .replace(/(?<=[^\s,]),\s+(?=\S)/g, ' ')
    .replace(/\s*\+\s*(?=\S)/g, '+')
    .replace(/(?<=\S)\s+-\s+(?=\S)/g, '-')
    .split(/\s+/);
  const parts = words
    .flatMap((word) => parted(word, '+'))
    .flatMap((word) => bySign(word, '-', isKey))
    .flatMap((word) => bySign(word, ',', isKey));
  const joined: string[] = [];
  for (let index = 0; index < parts.length; index++) {
    const [first = '', second = ''] = [parts[index], parts[index + 1]];
    // "left ctrl" is one key: nobody holds an arrow or space first.
    const areTwo = isKey(first) && isKey(second) && !/^(?:left|right|space)$/i.test(first);
    const isWord = /[\p{L}\p{N}]/u.test(second);
    const isPair = isWord && !areTwo && isKey(`${first}${second}`);
    joined.push(isPair ? `${first}${second}` : first);
    if (isPair) index++;
  }
  return joined;
}

/** Splits `Ctrl-C`, but not `page-down`. */
function bySign(word: string, sign: string, isKey: (name: string) => boolean): string[] {
  const parts = parted(word, sign);
  return parts.every(isKey) ? parts : [word];
}

/** A trailing sign is a key, as in `ctrl++`. */
function parted(word: string, sign: string): string[] {
  const parts = word.split(sign).filter((part) => part !== '');
  return word.endsWith(sign) ? [...parts, sign] : parts;
}

const maxKeys = 5;

/** @throws GyreError `bad_input` for none, more than five, or an unknown one. */
export function keysOf(keys: string): string[] {
  const parts = splitKeys(keys, (name) => keyName(name) !== undefined);
  if (parts.length < 1 || parts.length > maxKeys) {
    throw new GyreError('bad_input', `"${keys}" has ${parts.length} keys`, {
      field: 'keys',
      fix: `use one to ${maxKeys} keys joined by spaces or plus signs, as in "ctrl c"`,
    });
  }
  return parts.map((part) => keyName(part) ?? throwUnknownKey(part));
}

export function throwUnknownKey(name: string): never {
  throw new GyreError('bad_input', `there is no key "${name}"`, {
    field: 'key',
    fix: `use one character, f1 to f24, or one of ${keyNames.join(', ')}`,
  });
}
