import { GyreError, type Pixel } from '@gyre/protocol';
import PQueue from 'p-queue';
import type { CompatDesktop, CompatRun } from '../served/machine.js';
import { Pointer } from '../served/pointer.js';
import { pyautoguiActions } from './pyautogui.js';
import { programText } from '../../shell/programText.js';
import { quotedWords } from '../../shell/shellWords.js';

/** Precedes every command of the client, also those without a pointer. */
const clientPrefix = /^import pyautogui; import time; pyautogui\.FAILSAFE = False; /;

/** Asks which system the client has. */
const systemQuestion = 'import platform; print(platform.system())';

const probe = programText(new URL('./probe.py', import.meta.url));
const probeTimeout = 60;

const install =
  'install them for the python3 of the session: apt-get install python3-tk xclip, then pip install pyautogui pyperclip, where pip may also fill a folder for --python-packages by --target';

/** Runs a line of bash in the session; `timeout` is in s. */
type Run = (line: string, timeout: number) => Promise<CompatRun>;

/**
 * Runs the Python programs of OSWorld's clients. Where the session has pyautogui and pyperclip, any program runs as it is. Elsewhere
 * programs that only call pyautogui with literals become actions, and others that need the two are refused.
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

  /** Returns why programs for pyautogui cannot run; undefined where they can. */
  lacks(): Promise<string | undefined> {
    return (this.#probed ??= this.#probe());
  }

  /** Throws `missing` for a program that needs pyautogui or pyperclip where they cannot run. */
  async run(program: string, code: string, timeout: number): Promise<CompatRun> {
    const ended = { stdout: '', stderr: '', timedOut: false };
    if (code.endsWith(systemQuestion)) return { ...ended, exitCode: 0, stdout: 'Linux\n' };
    if ((await this.lacks()) === undefined) return this.#run(pythonLine(program, code), timeout);
    try {
      if (await this.#act(code)) return { ...ended, exitCode: 0 };
    } catch (error) {
      // As Python would end that cannot do it.
      if (!(error instanceof GyreError && error.code === 'bad_input')) throw error;
      return { ...ended, exitCode: 1, stderr: `${error.message}: ${error.detail.fix ?? ''}\n` };
    }
    const own = code.replace(clientPrefix, 'import time; ');
    if (!/\bpy(autogui|perclip)\b/.test(own)) return this.#run(pythonLine(program, own), timeout);
    // They may have been installed since.
    this.#probed = undefined;
    const reason = await this.lacks();
    if (reason === undefined) return this.#run(pythonLine(program, code), timeout);
    throw new GyreError(
      'missing',
      `the program needs pyautogui and pyperclip, which do not run in the session (${reason}): ${install}`,
      {
        field: 'command',
        fix: install,
      },
    );
  }

  /** Returns where the pointer is; without pyautogui, where the client has moved it. */
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
    // The display of whoever runs gyre is none of the session's.
    if (this.#desktop.env?.DISPLAY === undefined) return 'its programs have no display';
    const { exitCode, stderr } = await this.#run(pythonLine('python3', probe), probeTimeout);
    return exitCode === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? '');
  }

  /** Performs a program that only calls pyautogui. Resolves to false for any other. */
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

/** Returns a shell command that runs a Python program. Some machines have only `python3`. */
function pythonLine(program: string, code: string): string {
  const found = program === 'python' ? '"$(command -v python || echo python3)"' : quotedWords([program]);
  return `${found} -c ${quotedWords([code])}`;
}
