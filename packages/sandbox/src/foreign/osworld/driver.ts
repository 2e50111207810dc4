import { GyreError, keysOf, type Point, type Size } from '@gyre/protocol';
import { pixelAt } from '../../browser/viewport.js';
import { fieldOf, integer, list, parsed, sizeIn, text, textOrNone } from '../driven/answer.js';
import { fileBody, formBody } from './formBody.js';
import { desktopLimits } from '../../input/checkAction.js';
import { unixLines } from '../../input/keys.js';
import { type ActionDriver, longPressMs } from '../../input/performAction.js';
import { graceMs, refuse, turn } from '../gesture.js';
import { failureText, type Http, type Reply } from '../driven/http.js';
import { sizeOfPng } from '../driven/png.js';
import { pyautoguiKey } from '../pyautoguiKeys.js';
import { pythonText } from './pythonText.js';
import type { RemoteAccessibility, RemoteEntry, RemoteRun, RemoteDriver } from '../driven/driver.js';

/** As in OSWorld's clients. */
const prefix = 'import pyautogui; import time; pyautogui.FAILSAFE = False; ';

/** Windows limits command lines to 32,767 characters, and one takes up to ten. */
const maxCharacters = 2_000;

/** pyautogui takes raw wheel units on Windows, notches elsewhere. */
const windowsNotch = 120;

const server = "OSWorld's server";

const clicks = { left: 'click', right: 'rightClick', middle: 'middleClick' } as const;

/** OSWorld's in-VM server: Flask, with pyautogui commands through `/execute`. */
export class OsworldDriver implements RemoteDriver {
  readonly #http: Http;
  #platform = 'Linux';

  constructor(http: Http) {
    this.#http = http;
  }

  async probe(): Promise<Size> {
    const question = { method: 'POST', path: '/screen_size', read: true } as const;
    const size = sizeIn(parsed((await this.#http.ask(question)).bytes, this.#http.describe(question)));
    const platform = await this.#http.ask({ method: 'GET', path: '/platform', read: true, accept: [404] });
    if (platform.status === 200) this.#platform = platform.bytes.toString('utf8').trim();
    return size;
  }

  input(size: Size): Omit<ActionDriver, 'wait'> {
    const does = (code: string) => this.#python(code);
    const place = (point: Point) => {
      const { x, y } = pixelAt(point, size);
      return `${x}, ${y}`;
    };
    const first = (point: Point | undefined) => (point === undefined ? '' : `pyautogui.moveTo(${place(point)}); `);
    const drag = (start: Point, end: Point) =>
      does(`${first(start)}pyautogui.dragTo(${place(end)}, duration=0.5, button='left')`);
    const key = (name: string) => pythonText(pyautoguiKey(name, this.#platform === 'Darwin'));
    return {
      limits: { ...desktopLimits, machine: server },
      pointer: {
        click: (point, button, count) =>
          does(`pyautogui.${count === 2 ? 'doubleClick' : clicks[button]}(${place(point)})`),
        longPress: (point) =>
          does(
            `${first(point)}pyautogui.mouseDown(button='left'); time.sleep(${longPressMs / 1_000}); pyautogui.mouseUp(button='left')`,
          ),
        drag,
        swipe: drag,
        scroll: (direction, point) => {
          const { right, up } = turn(direction);
          const unit = this.#platform === 'Windows' ? windowsNotch : 1;
          const wheel = up === 0 ? `hscroll(${right * unit})` : `scroll(${up * unit})`;
          return does(`${first(point)}pyautogui.${wheel}`);
        },
        move: (point) => does(`pyautogui.moveTo(${place(point)})`),
        down: (button, point) => does(`${first(point)}pyautogui.mouseDown(button='${button}')`),
        up: (button, point) => does(`${first(point)}pyautogui.mouseUp(button='${button}')`),
      },
      keyboard: {
        type: async (text) => {
          for (const code of this.#typing(unixLines(text))) await does(code);
        },
        hotkey: (keys) => does(`pyautogui.hotkey(${keysOf(keys).map(key).join(', ')})`),
        press: (name) => does(`pyautogui.keyDown(${key(name)})`),
        release: (name) => does(`pyautogui.keyUp(${key(name)})`),
      },
    };
  }

  async screenshot(): Promise<Uint8Array> {
    const question = { method: 'GET', path: '/screenshot', read: true } as const;
    const { bytes } = await this.#http.ask(question);
    sizeOfPng(bytes, this.#http.describe(question));
    return bytes;
  }

  async run(command: string, timeoutMs: number): Promise<RemoteRun> {
    const json = { command, shell: true, timeout: timeoutMs / 1_000 };
    const reply = await this.#execute(json, timeoutMs + graceMs, [500]);
    if (reply.status === 500) {
      // Timeouts are reported as failures with a message.
      if (reply.ms >= timeoutMs && isReportedError(reply))
        return { stdout: '', stderr: '', timedOut: true, ms: reply.ms };
      throw new GyreError('infra', `${this.#describe('/execute')}: status 500${failureText(reply)}`, {
        part: 'remote',
        field: 'command',
        fix: 'check the log of the server on the machine',
      });
    }
    const answer = parsed(reply.bytes, this.#describe('/execute'));
    const code = integer(fieldOf(answer, 'returncode'));
    return {
      // Python reports signals as negative codes.
      exitCode: code < 0 ? 128 - code : code,
      stdout: textOrNone(fieldOf(answer, 'output')),
      stderr: textOrNone(fieldOf(answer, 'error')),
      timedOut: false,
      ms: reply.ms,
    };
  }

  async read(path: string): Promise<Uint8Array> {
    const body = formBody({ file_path: path });
    const reply = await this.#http.ask({ method: 'POST', path: '/file', body, read: true, accept: [400, 404, 500] });
    if (reply.status !== 200) throw this.#refused(reply, '/file', path);
    return reply.bytes;
  }

  async write(path: string, content: Uint8Array): Promise<void> {
    const name = path.split(/[/\\]/).at(-1)!;
    const body = fileBody({ file_path: path }, { field: 'file_data', name: name === '' ? 'file' : name, content });
    const reply = await this.#http.ask({ method: 'POST', path: '/setup/upload', body, accept: [400, 500] });
    if (reply.status !== 200) throw this.#refused(reply, '/setup/upload', path);
  }

  async list(path: string): Promise<RemoteEntry[]> {
    const question = {
      method: 'POST',
      path: '/list_directory',
      json: { path },
      read: true,
      accept: [400, 500],
    } as const;
    const reply = await this.#http.ask(question);
    if (reply.status !== 200) throw this.#refused(reply, '/list_directory', path);
    const tree = fieldOf(parsed(reply.bytes, this.#describe('/list_directory')), 'directory_tree');
    if (fieldOf(tree, 'error').value !== undefined) throw this.#refused(reply, '/list_directory', path);
    return (
      list(fieldOf(tree, 'children'))
        // Unreadable folders have an error in place of a name.
        .filter((child) => fieldOf(child, 'error').value === undefined)
        .map((child) => ({
          name: text(fieldOf(child, 'name')),
          type: text(fieldOf(child, 'type')) === 'directory' ? 'folder' : 'file',
        }))
    );
  }

  async accessibility(): Promise<RemoteAccessibility> {
    const question = { method: 'GET', path: '/accessibility', read: true, accept: [500] } as const;
    const reply = await this.#http.ask(question);
    if (reply.status !== 200) throw this.#refused(reply, '/accessibility', 'accessibility', 'protocol');
    const answer = parsed(reply.bytes, this.#http.describe(question));
    return { format: 'xml', xml: text(fieldOf(answer, 'AT')) };
  }

  async launch(program: string, args: readonly string[]): Promise<void> {
    const json = { command: [program, ...args], shell: false };
    const reply = await this.#http.ask({ method: 'POST', path: '/setup/launch', json, accept: [500] });
    if (reply.status !== 200) throw this.#refused(reply, '/setup/launch', program, 'program');
  }

  /** Yields several commands for a long text. */
  *#typing(text: string): Generator<string> {
    const characters = [...text];
    // pyautogui silently omits characters that a US keyboard lacks.
    const foreign = /[^\n\t -~]/.test(text);
    for (let begin = 0; begin < characters.length; begin += maxCharacters) {
      const part = characters.slice(begin, begin + maxCharacters).join('');
      yield foreign ? foreignTyping(part) : keyboardTyping(part, this.#platform === 'Linux');
    }
  }

  async #python(code: string): Promise<void> {
    const reply = await this.#execute({ command: ['python', '-c', prefix + code], shell: false });
    const answer = parsed(reply.bytes, this.#describe('/execute'));
    const exitCode = integer(fieldOf(answer, 'returncode'));
    if (exitCode === 0) return;
    const error = textOrNone(fieldOf(answer, 'error')).trim().slice(-300);
    if (/No module named '?pynput/.test(error)) {
      return refuse('this machine', 'type characters that are not on its keyboard', 'install pynput on it', 'text');
    }
    throw new GyreError(
      'infra',
      `${this.#describe('/execute')}: ${code.slice(0, 80)}: ended with ${exitCode}: ${error}`,
      {
        part: 'remote',
        field: 'action',
        fix: 'check that python can run pyautogui on the screen of the machine',
      },
    );
  }

  #execute(json: object, timeoutMs?: number, accept: readonly number[] = []): Promise<Reply> {
    const time = timeoutMs === undefined ? {} : { timeoutMs };
    return this.#http.ask({ method: 'POST', path: '/execute', json, accept, ...time });
  }

  #describe(path: string): string {
    return this.#http.describe({ method: 'POST', path });
  }

  /** Turns a refused input into `bad_input`; other replies are the server's failures. */
  #refused(reply: Reply, route: string, value: string, field = 'path'): GyreError {
    const failed = reply.status === 500 && !isReportedError(reply);
    const fix = field === 'protocol' ? 'install what is missing on the machine' : 'use one that exists on the machine';
    return new GyreError(
      failed ? 'infra' : 'bad_input',
      `${this.#describe(route)}: ${JSON.stringify(value)}${failureText(reply)}`,
      { part: 'remote', field, fix: failed ? 'check the log of the server on the machine' : fix },
    );
  }
}

/** Tells a reported error from a crash. */
function isReportedError({ bytes }: Reply): boolean {
  return /^\s*\{/.test(bytes.toString('utf8', 0, 10));
}

/** Types > by key with shift on Linux, where pyautogui would type <. */
function keyboardTyping(part: string, linux: boolean): string {
  const pieces = linux ? part.split(/(<)/) : [part];
  return pieces
    .filter((piece) => piece !== '')
    .map((piece) =>
      piece === '<' && linux ? "pyautogui.hotkey('shift', ',')" : `pyautogui.typewrite(${pythonText(piece)})`,
    )
    .join('; ');
}

/** Types nothing if pynput is missing, which the server itself requires. */
function foreignTyping(part: string): string {
  return `from pynput.keyboard import Controller; Controller().type(${pythonText(part)})`;
}
