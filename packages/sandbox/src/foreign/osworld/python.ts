import { GyreError, type Pixel } from '@gyre/protocol';
import PQueue from 'p-queue';
import type { CompatDesktop, CompatRun } from '../served/machine.js';
import { Pointer } from '../served/pointer.js';
import { pyautoguiActions } from './pyautogui.js';
import { programText } from '../../shell/programText.js';
import { quotedWords } from '../../shell/shellWords.js';

/** Precedes every command, even those that need no pointer. */
const clientPrefix = /^import pyautogui; import time; pyautogui\.FAILSAFE = False; /;

const systemQuestion = 'import platform; print(platform.system())';

const probe = programText(new URL('./probe.py', import.meta.url));
const probeTimeout = 60;

const install =
  'install them for the python3 of the session: apt-get install python3-tk xclip, then pip install pyautogui pyperclip (or pip install --target FOLDER, and start the server with --python-packages FOLDER)';

/** `timeout` in s. */
type Run = (line: string, timeout: number) => Promise<CompatRun>;

/**
 * Sessions with pyautogui and pyperclip run any program unchanged. Elsewhere, programs that only call pyautogui with
 * literals become actions; others that need these modules are refused.
 */
export class OsworldPython {
  readonly #desktop: CompatDesktop;
  readonly #run: Run;
  readonly #queue = new PQueue({ concurrency: 1 });
  #pointer: Pointer;
  #probed: Promise<string | undefined> | undefined;

  constructor(desktop: CompatDesktop, run: Run) {
    this.#desktop = desktop;
    this.#run = run;
    this.#pointer = new Pointer(desktop.size);
  }

  /** Returns why pyautogui programs cannot run, if so. */
  lacks(): Promise<string | undefined> {
    return (this.#probed ??= this.#probe());
  }

  /** Throws `missing` for a program whose modules cannot run. */
  async run(program: string, code: string, timeout: number): Promise<CompatRun> {
    const ended = { stdout: '', stderr: '', timedOut: false };
    if (code.endsWith(systemQuestion)) return { ...ended, exitCode: 0, stdout: 'Linux\n' };
    if ((await this.lacks()) === undefined) return this.#run(pythonLine(program, code), timeout);
    try {
      if (await this.#act(code)) return { ...ended, exitCode: 0 };
    } catch (error) {
      // Fail as Python would.
      if (!(error instanceof GyreError && error.code === 'bad_input')) throw error;
      return { ...ended, exitCode: 1, stderr: `${error.message}: ${error.detail.fix ?? ''}\n` };
    }
    const bareCode = code.replace(clientPrefix, 'import time; ');
    if (!/\bpy(autogui|perclip)\b/.test(bareCode)) return this.#run(pythonLine(program, bareCode), timeout);
    // They may have been installed since.
    this.#probed = undefined;
    const reason = await this.lacks();
    if (reason === undefined) return this.#run(pythonLine(program, code), timeout);
    throw new GyreError(
      'missing',
      `the program needs pyautogui and pyperclip, which do not work in the session (${reason}): ${install}`,
      {
        field: 'command',
        fix: install,
      },
    );
  }

  /** Falls back to where the client has moved it. */
  async position(): Promise<Pixel> {
    if ((await this.lacks()) !== undefined) return this.#pointer.position;
    const { stdout } = await this.#run(
      pythonLine('python3', 'import pyautogui; print(*pyautogui.position())'),
      probeTimeout,
    );
    const [xPx, yPx] = stdout.trim().split(' ').map(Number);
    return Number.isInteger(xPx) && Number.isInteger(yPx) ? { xPx: xPx!, yPx: yPx! } : this.#pointer.position;
  }

  async #probe(): Promise<string | undefined> {
    // Never use the display of gyre's user.
    if (this.#desktop.env?.DISPLAY === undefined) return 'its programs have no display';
    const { exitCode, stderr } = await this.#run(pythonLine('python3', probe), probeTimeout);
    return exitCode === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? '');
  }

  /** Returns false unless the program only calls pyautogui. */
  #act(code: string): Promise<boolean> {
    return this.#queue.add(async () => {
      const moved = this.#pointer.copy();
      const actions = pyautoguiActions(code, moved);
      for (const action of actions ?? []) await this.#desktop.act(action);
      if (actions !== undefined) this.#pointer = moved;
      return actions !== undefined;
    });
  }
}

/** Uses `python3` if there is no `python`. */
function pythonLine(program: string, code: string): string {
  const interpreter = program === 'python' ? '"$(command -v python || echo python3)"' : quotedWords([program]);
  return `${interpreter} -c ${quotedWords([code])}`;
}
