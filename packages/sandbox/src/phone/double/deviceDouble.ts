import { FilesDouble } from './filesDouble.js';
import { drawScreen, encodePng, type ScreenDouble } from './screenDouble.js';

export interface ProgramOutcome {
  readonly status: number;
  readonly output: string | Uint8Array;
}

/** Others are this machine's. */
export const programNames = [
  'am',
  'cmd',
  'dumpsys',
  'ime',
  'input',
  'pm',
  'rm',
  'screencap',
  'settings',
  'uiautomator',
  'wm',
] as const;

const keyboard = 'com.android.adbkeyboard/.AdbIME';
const latin = 'com.android.inputmethod.latin/.LatinIME';

const keys: Readonly<Record<string, string>> = { 61: '\t', 62: ' ', 66: '\n' };

/** In screen fractions. */
export const buttonBox = { x: 0.25, y: 0.5, width: 0.5, height: 0.1 };

export class DeviceDouble {
  readonly files = new FilesDouble();
  /** Names of programs that this object is. */
  readonly programs: readonly string[] = programNames;
  readonly log: string[][] = [];
  panel = { width: 270, height: 480 };
  override: { width: number; height: number } | undefined;
  rotation = 0;
  /** Rotation is reported as before Android 13. */
  old = false;
  typed = '';
  presses = 0;
  volume = 5;
  scrolled = 0;
  app: string | undefined = 'com.example.launcher';
  apps = new Map([
    ['com.android.settings', '.Settings'],
    ['com.example.launcher', '.Home'],
    ['com.example.notes', 'com.example.notes.Main'],
    ['com.example.notes.pro', '.Main'],
    ['org.mozilla.firefox', '.App'],
  ]);
  keyboards = [latin];
  keyboard = latin;
  movesForMs = 0;
  answersAfterMs = 0;
  /** In px of the rotated screen. */
  touch: { readonly x: number; readonly y: number } | undefined;
  #movesUntil = 0;
  #answersAt = 0;
  #before: ScreenDouble | undefined;

  get size(): { width: number; height: number } {
    const { width, height } = this.override ?? this.panel;
    return this.rotation % 2 === 0 ? { width, height } : { width: height, height: width };
  }

  get screen(): ScreenDouble {
    if (this.#before !== undefined && performance.now() < this.#answersAt) return this.#before;
    const moving = Math.max(0, this.#movesUntil - performance.now());
    const { size, app, typed, presses, volume, scrolled, touch } = this;
    return { size, app, typed, presses, volume, scrolled, touch, moving };
  }

  /** Returns the program that runs a command line. */
  shellOf(_folder: string): readonly [program: string, ...args: string[]] {
    return ['/bin/sh'];
  }

  installKeyboard(): void {
    this.keyboards.push(keyboard);
  }

  runProgram(name: string, words: readonly string[]): ProgramOutcome {
    this.log.push([name, ...words]);
    switch (name) {
      case 'am':
        return this.#am(words);
      case 'cmd':
        return this.#cmd(words);
      case 'dumpsys':
        return this.#dumpsys(words);
      case 'ime':
        return this.#ime(words);
      case 'input':
        return this.#input(words);
      case 'pm':
        return this.#pm(words);
      case 'rm':
        for (const path of words) this.files.remove(path);
        return success('');
      case 'screencap':
        return success(words.includes('-p') ? encodePng(drawScreen(this.screen)) : rawCapture(this.screen));
      case 'settings':
        return words.join(' ') === 'get secure default_input_method'
          ? success(`${this.keyboard}\n`)
          : success('null\n');
      case 'uiautomator':
        this.files.write(words[1] ?? '/sdcard/window_dump.xml', Buffer.from(this.#tree()));
        return success(`UI hierchary dumped to: ${words[1]}\n`);
      case 'wm':
        return success(
          `Physical size: ${this.panel.width}x${this.panel.height}\n` +
            (this.override === undefined ? '' : `Override size: ${this.override.width}x${this.override.height}\n`),
        );
      default:
        return { status: 127, output: `${name}: inaccessible or not found\n` };
    }
  }

  #input(words: readonly string[]): ProgramOutcome {
    const [command, ...rest] = words;
    const numbers = rest.map(Number);
    this.#before = this.screen;
    this.#answersAt = performance.now() + this.answersAfterMs;
    this.#movesUntil = this.#answersAt + this.movesForMs;
    switch (command) {
      case 'tap':
        return this.#tap(numbers[0]!, numbers[1]!);
      case 'swipe': {
        const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = numbers;
        this.touch = { x: x2, y: y2 };
        this.scrolled += y1 - y2 + (x1 - x2);
        return success('');
      }
      case 'keyevent':
        this.#key(rest[0]!);
        return success('');
      case 'text':
        return this.#text(rest[0] ?? '');
      default:
        return { status: 255, output: `Error: Unknown command: ${command}\n` };
    }
  }

  #tap(x: number, y: number): ProgramOutcome {
    const { width, height } = this.size;
    this.touch = { x, y };
    const box = buttonBox;
    const across = x / width >= box.x && x / width < box.x + box.width;
    const along = y / height >= box.y && y / height < box.y + box.height;
    if (across && along) this.presses += 1;
    return success('');
  }

  #key(code: string): void {
    if (code === '3') this.app = 'com.example.launcher';
    else if (code === '24') this.volume += 1;
    else if (code === '25') this.volume -= 1;
    else if (code === '67') this.typed = this.typed.slice(0, -1);
    else this.typed += keys[code] ?? '';
  }

  /** Reads `%s` as a blank, and knows only ASCII, like InputShellCommand. */
  #text(text: string): ProgramOutcome {
    const characters = [...text];
    let escaped = false;
    for (let index = 0; index < characters.length; index++) {
      if (escaped) {
        escaped = false;
        if (characters[index] === 's') {
          characters[index] = ' ';
          characters.splice(--index, 1);
        }
      }
      if (characters[index] === '%') escaped = true;
    }
    if (/[^\x20-\x7e]/.test(text)) return { status: 1, output: 'java.lang.NullPointerException\n' };
    this.typed += characters.join('');
    return success('');
  }

  #am(words: readonly string[]): ProgramOutcome {
    const after = (flag: string) => words[words.indexOf(flag) + 1] ?? '';
    switch (words[0]) {
      case 'start': {
        if (words.includes('-d')) {
          this.app = 'org.mozilla.firefox';
          this.typed = after('-d');
          return success(`Starting: Intent { act=android.intent.action.VIEW dat=${after('-d')} }\n`);
        }
        const [name = ''] = after('-n').split('/');
        if (!this.apps.has(name))
          return success(`Error type 3\nError: Activity class {${after('-n')}} does not exist.\n`);
        this.app = name;
        return success(`Starting: Intent { cmp=${after('-n')} }\nStatus: ok\n`);
      }
      case 'force-stop':
        if (this.app === words[1]) this.app = 'com.example.launcher';
        return success('');
      case 'broadcast':
        if (
          after('-a') === 'ADB_INPUT_B64' &&
          after('-p') === 'com.android.adbkeyboard' &&
          this.keyboard === keyboard
        ) {
          this.typed += Buffer.from(after('msg'), 'base64').toString('utf8');
        }
        return success('Broadcast completed: result=0\n');
      default:
        return { status: 1, output: `Error: unknown command '${words[0]}'\n` };
    }
  }

  #cmd(words: readonly string[]): ProgramOutcome {
    if (words[0] !== 'package' || words[1] !== 'query-activities') return { status: 255, output: 'Unknown command\n' };
    const lines = [...this.apps].map(
      ([name, activity]) => `  priority=0 preferredOrder=0 match=0x108000 isDefault=true\n  ${name}/${activity}`,
    );
    return success(`${this.apps.size} activities found:\n${lines.join('\n')}\n`);
  }

  #dumpsys(words: readonly string[]): ProgramOutcome {
    if (words[0] === 'input') {
      const { width, height } = this.size;
      const viewport = `Viewport INTERNAL: displayId=0, uniqueId=local:0, port=0, orientation=${this.rotation}, logicalFrame=[0, 0, ${width}, ${height}]`;
      return success(this.old ? `      SurfaceOrientation: ${this.rotation}\n` : `    ${viewport}, isActive=[1]\n`);
    }
    if (words[0] !== 'activity' || this.app === undefined) return success('');
    const activity = this.apps.get(this.app) ?? '.Main';
    return success(`  topResumedActivity=ActivityRecord{d3a1f u0 ${this.app}/${activity} t7}\n`);
  }

  #ime([command, ...words]: readonly string[]): ProgramOutcome {
    if (command === 'list') return success(this.keyboards.map((name) => `${name}\n`).join(''));
    if (!this.keyboards.includes(words[0]!)) return { status: 1, output: `Unknown input method ${words[0]}\n` };
    if (command === 'enable') return success(`Input method ${words[0]}: now enabled for user #0\n`);
    this.keyboard = words[0]!;
    return success(`Input method ${words[0]} selected for user #0\n`);
  }

  #pm([command, ...words]: readonly string[]): ProgramOutcome {
    const file = this.files.read(words.at(-1) ?? '');
    if (command !== 'install' || file === undefined) return { status: 1, output: 'Error: no such file\n' };
    // App files are zips, here with the package name appended.
    const text = file.bytes.toString('latin1');
    if (!text.startsWith('PK')) return { status: 1, output: 'Failure [INSTALL_PARSE_FAILED_NOT_APK: not a zip]\n' };
    this.apps.set(text.slice(2), '.Main');
    return success('Success\n');
  }

  #tree(): string {
    const { width, height } = this.size;
    const box = (x: number, y: number, w: number, h: number) =>
      `[${Math.round(x * width)},${Math.round(y * height)}][${Math.round((x + w) * width)},${Math.round((y + h) * height)}]`;
    const node = (kind: string, text: string, bounds: string, more: string, inside = '') =>
      `<node index="0" text="${escaped(text)}" resource-id="" class="android.widget.${kind}" package="${this.app}" ` +
      `content-desc="" checkable="false" enabled="true" ${more} bounds="${bounds}"${inside === '' ? ' />' : `>${inside}</node>`}`;
    const { x, y, width: w, height: h } = buttonBox;
    const inner =
      node('EditText', this.typed, box(0, 0, 1, 0.1), 'clickable="true" focused="true"') +
      node('Button', `Pressed ${this.presses}`, box(x, y, w, h), 'clickable="true" focused="false"');
    return (
      `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="${this.rotation}">` +
      `${node('FrameLayout', '', box(0, 0, 1, 1), 'clickable="false"', inner)}</hierarchy>`
    );
  }
}

const success = (output: string | Uint8Array): ProgramOutcome => ({ status: 0, output });

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

const escaped = (text: string) => text.replace(/[&<>"\n]/g, (character) => entities[character]!);

/** Mimics `screencap` without `-p`: width, height, RGBA_8888, sRGB, pixels. */
function rawCapture(screen: ScreenDouble): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(screen.size.width, 0);
  header.writeUInt32LE(screen.size.height, 4);
  header.writeUInt32LE(1, 8);
  header.writeUInt32LE(1, 12);
  return Buffer.concat([header, drawScreen(screen).pixels]);
}
