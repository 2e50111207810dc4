import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasPython } from '../double/pyautoguiDouble.js';
import { program } from '../double/program.js';
import { ScreenDouble } from '../double/screenDouble.js';
import { pythonModules } from '../double/pythonModules.js';
import { OsworldPython } from './python.js';

/** Prefixes of OSWorld's client and UI-TARS' harness. */
const client = 'import pyautogui; import time; pyautogui.FAILSAFE = False; ';
const docstring = "import pyautogui\nimport time\n'''\nObservation:\nNone\n\nThought:\nIt's there.\n'''\n";

describe.skipIf(!hasPython)('a program of Python', () => {
  let modules: Awaited<ReturnType<typeof pythonModules>>;
  let screen: ScreenDouble;
  beforeEach(async () => {
    modules = await pythonModules();
    screen = new ScreenDouble();
  });
  afterEach(() => modules.remove());

  function python(has: boolean): OsworldPython {
    const set = has ? `PYTHONPATH=${modules.folder} PATH=${modules.folder}:$PATH` : 'PYTHONPATH=';
    const run = async (line: string, timeout: number) => {
      const { code, ...ran } = await program(['bash', '-c', `export ${set}; ${line}`], timeout * 1_000);
      return { exitCode: code, ...ran };
    };
    const env: Readonly<Record<string, string>> = has ? { DISPLAY: ':9' } : {};
    return new OsworldPython(Object.assign(screen, { env }), run);
  }

  it.each([
    ['variables', 'x, y = 10, 20\npyautogui.click(x, y)', 'click 10 20\n'],
    ['a loop', 'for _ in range(3):\n    pyautogui.press("backspace")', 'press backspace\n'.repeat(3)],
    ['a size', 'w, h = pyautogui.size()\npyautogui.click(w // 2, h // 2)', 'click 32 24\n'],
    ['an f-string', 'n = 7\npyautogui.typewrite(f"row {n}")', 'type row 7\n'],
    ['a docstring', `${docstring}pyautogui.click(1, 2)`, 'click 1 2\n'],
    [
      'the clipboard',
      `${docstring}import pyperclip\npyperclip.copy('é')\npyautogui.hotkey('ctrl', 'v')`,
      'copy é\nhotkey ctrl v\n',
    ],
    ['something else', 'print(6 * 7)', '42\n'],
  ])('with %s runs unchanged if the session has pyautogui', async (_, code, stdout) => {
    const ran = await python(true).run('python3', `${client}\n${code}`, 60);
    expect(ran).toMatchObject({ exitCode: 0, stdout, stderr: '' });
    expect(screen.events).toEqual([]);
  });

  it('fails with the error of Python', async () => {
    const ran = await python(true).run('python3', `${client}pyautogui.wink()`, 60);
    expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('AttributeError') });
  });

  it('is performed as actions without pyautogui if it has only calls, with or without a docstring', async () => {
    const ran = await python(false).run('python', `${client}${docstring}\npyautogui.click(1, 2, button='left')`, 60);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(screen.events).toEqual(['move 1,2', 'down left', 'up left']);
  });

  it.each([
    'x, y = 10, 20\npyautogui.click(x, y)',
    'for _ in range(3):\n    pyautogui.press("backspace")',
    "import pyperclip\npyperclip.copy('x')",
  ])('is refused with install instructions if its modules are missing: %j', async (code) => {
    await expect(python(false).run('python', `${client}\n${code}`, 60)).rejects.toMatchObject({
      code: 'missing',
      message: expect.stringContaining('pip install pyautogui pyperclip'),
    });
    expect(screen.events).toEqual([]);
  });

  it('that has nothing to do with the pointer runs everywhere', async () => {
    expect(await python(false).run('python3', `${client}print(6 * 7)`, 60)).toMatchObject({ stdout: '42\n' });
  });

  it('says where the pointer is', async () => {
    expect(await python(true).position()).toEqual({ xPx: 12, yPx: 34 });
    const acting = python(false);
    await acting.run('python', `${client}pyautogui.moveTo(5, 6)`, 60);
    expect(await acting.position()).toEqual({ xPx: 5, yPx: 6 });
  });
});
