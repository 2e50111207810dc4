import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { programText } from '../../shell/programText.js';
import type { Ran } from './program.js';
import type { ScreenDouble } from './screenDouble.js';

/**
 * Records effects of pyautogui on Linux. Like the original, it types > as <, omits characters that a US keyboard lacks,
 * and skips unknown keys.
 */
const pyautogui = programText(new URL('./recordingPyautogui.py', import.meta.url));

const keyboard = `
import pyautogui
class Controller:
    def type(self, text): pyautogui._tell('type', text)
`;

/** Programs arrive as JSON lines, and each runs in isolation. */
const runner = programText(new URL('./pythonRunner.py', import.meta.url));

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
