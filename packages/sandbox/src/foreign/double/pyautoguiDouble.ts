import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Ran } from './program.js';
import type { ScreenDouble } from './screenDouble.js';

/**
 * Records effects of pyautogui on Linux. Like the original, it types > as <, omits characters that a US keyboard lacks,
 * and skips unknown keys.
 */
const pyautogui = `
FAILSAFE = True
PAUSE = 0.1
_events = []
_names = set('enter tab esc backspace delete insert space left up right down home end pageup pagedown capslock alt ctrl win shift'.split())
_names |= {'f%d' % n for n in range(1, 13)}
def _tell(*event):
    _events.append(event)
def moveTo(x, y, duration=0.0): _tell('move', x, y)
def mouseDown(x=None, y=None, button='left'):
    if x is not None: moveTo(x, y)
    _tell('button', True, button)
def mouseUp(x=None, y=None, button='left'):
    if x is not None: moveTo(x, y)
    _tell('button', False, button)
def click(x=None, y=None, clicks=1, interval=0.0, button='left'):
    if x is not None: moveTo(x, y)
    for _ in range(clicks): mouseDown(button=button); mouseUp(button=button)
def rightClick(x=None, y=None): click(x, y, button='right')
def middleClick(x=None, y=None): click(x, y, button='middle')
def doubleClick(x=None, y=None): click(x, y, clicks=2)
def dragTo(x, y, duration=0.0, button='left'): mouseDown(button=button); moveTo(x, y); mouseUp(button=button)
def scroll(clicks): _tell('wheel', 0, clicks)
def hscroll(clicks): _tell('wheel', clicks, 0)
def _known(key): return key in _names or (len(key) == 1 and ' ' < key < '\\x7f')
def keyDown(key):
    if _known(key): _tell('key', True, key)
def keyUp(key):
    if _known(key): _tell('key', False, key)
def hotkey(*keys):
    for key in keys: keyDown(key)
    for key in reversed(keys): keyUp(key)
def typewrite(message, interval=0.0):
    _tell('type', ''.join('>' if c == '<' else c for c in message if c in '\\n\\t' or ' ' <= c < '\\x7f'))
`;

const keyboard = `
import pyautogui
class Controller:
    def type(self, text): pyautogui._tell('type', text)
`;

/** Programs arrive as JSON lines, and each runs in isolation. */
const runner = `
import contextlib, io, json, sys, traceback, types
sources = json.loads(sys.argv[1])
for name, source in sources.items():
    module = types.ModuleType(name)
    module.__path__ = []
    sys.modules[name] = module
    exec(source, module.__dict__)
out = sys.stdout
for line in sys.stdin:
    events = sys.modules['pyautogui']._events
    events.clear()
    stdout, stderr, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            exec(json.loads(line), {'__name__': '__main__'})
        except BaseException:
            code = 1
            traceback.print_exc()
    out.write(json.dumps([code, stdout.getvalue(), stderr.getvalue(), events]) + '\\n')
    out.flush()
`;

type Event =
  | ['move', number, number]
  | ['button', boolean, string]
  | ['wheel', number, number]
  | ['key', boolean, string]
  | ['type', string];

export const hasPython = spawnSync('python3', ['-c', '']).status === 0;

/** Real Python with doubled pointer modules. */
export class PythonDouble {
  readonly #process: ChildProcess;
  readonly #answers: ((line: string) => void)[] = [];

  constructor({ pynput = true }: { pynput?: boolean } = {}) {
    const modules = pynput ? { pyautogui, pynput: '', 'pynput.keyboard': keyboard } : { pyautogui, pynput: '' };
    this.#process = spawn('python3', ['-c', runner, JSON.stringify(modules)], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface(this.#process.stdout!).on('line', (line) => this.#answers.shift()!(line));
  }

  async run(code: string, screen: ScreenDouble): Promise<Ran> {
    this.#process.stdin!.write(`${JSON.stringify(code)}\n`);
    const line = await new Promise<string>((resolve) => this.#answers.push(resolve));
    const [exitCode, stdout, stderr, events] = JSON.parse(line) as [number, string, string, Event[]];
    for (const event of events) happen(event, screen);
    return { code: exitCode, stdout, stderr, timedOut: false };
  }

  close(): void {
    this.#process.kill();
  }
}

function happen(event: Event, screen: ScreenDouble): void {
  switch (event[0]) {
    case 'move':
      return screen.move(event[1], event[2]);
    case 'button':
      return screen.button(event[1], event[2]);
    case 'wheel':
      return screen.wheel(event[1], event[2]);
    case 'key':
      return screen.key(event[1], event[2]);
    case 'type':
      return screen.type(event[1]);
  }
}
