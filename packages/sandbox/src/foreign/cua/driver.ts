import { setTimeout as pause } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { GyreError, keysOf, type MouseButton, type Point, type Size } from '@gyre/protocol';
import { quotedWords } from '../../shell/shellWords.js';
import { pixelAt } from '../../browser/viewport.js';
import {
  fieldOf,
  base64,
  integer,
  list,
  malformed,
  object,
  parsed,
  sizeIn,
  text,
  textOrNone,
  type Part,
} from '../driven/answer.js';
import { desktopLimits } from '../../input/checkAction.js';
import { keyNamed, unixLines } from '../../input/keys.js';
import { type ActionDriver, longPressMs } from '../../input/performAction.js';
import { refuse, turn } from '../gesture.js';
import { failureText, type Http, type Question } from '../driven/http.js';
import { sizeOfPng } from '../driven/png.js';
import { pyautoguiKey } from '../pyautoguiKeys.js';
import type { RemoteAccessibility, RemoteDriver, RemoteEntry, RemoteRun } from '../driven/driver.js';

const server = "cua's computer-server";

const dragSteps = 4;

const clicks = { left: 'left_click', right: 'right_click', double: 'double_click' } as const;

interface Command {
  readonly command: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** cua's computer-server: `POST /cmd` takes its WebSocket commands. Shell commands have no time limit. */
export class CuaDriver implements RemoteDriver {
  readonly #http: Http;
  #system = 'linux';

  constructor(http: Http) {
    this.#http = http;
  }

  async probe(): Promise<Size> {
    const question = { method: 'GET', path: '/status', read: true } as const;
    const status = parsed((await this.#http.ask(question)).bytes, this.#http.describe(question));
    this.#system = text(fieldOf(status, 'os_type'));
    return sizeIn(fieldOf(await this.#result({ command: 'get_screen_size', params: {} }, true), 'size'));
  }

  input(size: Size): Omit<ActionDriver, 'wait'> {
    const place = (point?: Point) => (point === undefined ? {} : { ...pixelAt(point, size) });
    const does = (command: string, params: Command['params'] = {}) => this.#gesture({ command, params });
    const move = (point: Point) => does('move_cursor', place(point));
    const down = (button: MouseButton, point?: Point) => does('mouse_down', { ...place(point), button });
    const up = (button: MouseButton, point?: Point) => does('mouse_up', { ...place(point), button });
    // The server's `drag` differs between versions, and some release at every corner.
    const drag = async (start: Point, end: Point) => {
      await down('left', start);
      for (let step = 1; step < dragSteps; step++) {
        const share = step / dragSteps;
        await move({ x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share });
      }
      await move(end);
      await up('left', end);
    };
    const key = (name: string) => pyautoguiKey(name, this.#system === 'macos');
    return {
      limits: {
        ...desktopLimits,
        machine: server,
        checkDirection: (direction) => {
          if (this.#system !== 'windows' || turn(direction).right === 0) return;
          refuse(server, 'scroll sideways on Windows', 'use up or down', 'direction');
        },
      },
      pointer: {
        click: async (point, button, count) => {
          if (button !== 'middle') return does(clicks[count === 2 ? 'double' : button], place(point));
          await down('middle', point);
          await up('middle', point);
        },
        longPress: async (point) => {
          await down('left', point);
          await pause(longPressMs);
          await up('left', point);
        },
        drag,
        swipe: drag,
        scroll: async (direction, point) => {
          if (point !== undefined) await move(point);
          const { right, up } = turn(direction);
          if (up === 0) return does('scroll', { x: right, y: 0 });
          return does(up > 0 ? 'scroll_up' : 'scroll_down', { clicks: Math.abs(up) });
        },
        move,
        down,
        up,
      },
      keyboard: {
        type: (text) => does('type_text', { text: unixLines(text) }),
        hotkey: (keys) => does('hotkey', { keys: keysOf(keys).map(key) }),
        press: (name) => does('key_down', { key: key(name) }),
        release: (name) => does('key_up', { key: key(name) }),
      },
    };
  }

  async screenshot(): Promise<Uint8Array> {
    const answer = fieldOf(await this.#result({ command: 'screenshot', params: {} }, true), 'image_data');
    const png = base64(answer);
    sizeOfPng(png, answer.where);
    return png;
  }

  async run(command: string, timeoutMs: number): Promise<RemoteRun> {
    const begin = performance.now();
    const answer = await this.#result({ command: 'run_command', params: { command } }, false, timeoutMs);
    const code = integer(fieldOf(answer, 'return_code'));
    return {
      // Python reports signals as negative codes.
      exitCode: code < 0 ? 128 - code : code,
      stdout: textOrNone(fieldOf(answer, 'stdout')),
      stderr: textOrNone(fieldOf(answer, 'stderr')),
      timedOut: false,
      ms: performance.now() - begin,
    };
  }

  async read(path: string): Promise<Uint8Array> {
    return base64(fieldOf(await this.#file({ command: 'read_bytes', params: { path } }, path, true), 'content_b64'));
  }

  async write(path: string, content: Uint8Array): Promise<void> {
    const content_b64 = Buffer.from(content).toString('base64');
    await this.#file({ command: 'write_bytes', params: { path, content_b64 } }, path, false);
  }

  async list(path: string): Promise<RemoteEntry[]> {
    const files = fieldOf(await this.#file({ command: 'list_dir', params: { path } }, path, true), 'files');
    return list(files).map((name) => ({ name: text(name), type: undefined }));
  }

  async accessibility(): Promise<RemoteAccessibility> {
    if (this.#system === 'linux') {
      // It returns one made-up window.
      refuse(`${server} on Linux`, 'return an accessibility tree', 'use its screen', 'protocol');
    }
    const answer = await this.#result({ command: 'get_accessibility_tree', params: {} }, true);
    return { format: 'json', tree: object(fieldOf(answer, 'tree')) };
  }

  async launch(program: string, args: readonly string[]): Promise<void> {
    // Without arguments, newer servers treat the program as a shell line.
    const line = this.#system === 'windows' || /^[\w./-]+$/.test(program) ? program : quotedWords([program]);
    const params = args.length === 0 ? { app: line } : { app: program, args: [...args] };
    const answer = await this.#answer({ command: 'launch', params }, false);
    if (fieldOf(answer, 'success').value !== false) return;
    throw new GyreError('bad_input', `${answer.where}: ${textOrNone(fieldOf(answer, 'error'))}`, {
      field: 'program',
      fix: 'use a program that is installed on the machine',
    });
  }

  /** Retries unknown keys by their other name. */
  async #gesture(step: Command): Promise<void> {
    const answer = await this.#answer(step, false);
    if (fieldOf(answer, 'success').value !== false) return;
    const alternative = renamed(step);
    const again = alternative === undefined ? answer : await this.#answer(alternative, false);
    if (fieldOf(again, 'success').value === false) throw this.#failed(again);
  }

  async #result(command: Command, read: boolean, timeoutMs?: number): Promise<Part> {
    const answer = await this.#answer(command, read, timeoutMs);
    if (fieldOf(answer, 'success').value === false) throw this.#failed(answer);
    return answer;
  }

  async #file(command: Command, path: string, read: boolean): Promise<Part> {
    const answer = await this.#answer(command, read);
    if (fieldOf(answer, 'success').value !== false) return answer;
    throw new GyreError(
      'bad_input',
      `${answer.where}: ${JSON.stringify(path)}: ${textOrNone(fieldOf(answer, 'error'))}`,
      {
        field: 'path',
        fix: 'use a path that exists on the machine',
      },
    );
  }

  async #answer(json: Command, read: boolean, timeoutMs?: number): Promise<Part> {
    const time = timeoutMs === undefined ? {} : { timeoutMs };
    const question: Question = { method: 'POST', path: '/cmd', json, read, accept: [400], ...time };
    const reply = await this.#http.ask(question);
    const where = `${this.#http.describe(question)} ${json.command}`;
    if (reply.status === 400)
      return refuse(server, `do ${json.command}${failureText(reply)}`, 'install a newer server', 'protocol');
    // An event stream with one event, despite its content type.
    const body = reply.bytes.toString('utf8');
    let data: string | undefined;
    createParser({ onEvent: (event) => (data ??= event.data) }).feed(`${body}\n\n`);
    if (data === undefined) throw malformed({ value: body, where }, 'data');
    const answer = parsed(Buffer.from(data), where);
    const success = fieldOf(answer, 'success');
    if (typeof success.value !== 'boolean') throw malformed(success, 'true or false');
    return answer;
  }

  #failed(answer: Part): GyreError {
    return new GyreError('infra', `${answer.where}: ${textOrNone(fieldOf(answer, 'error'))}`, {
      part: 'remote',
      field: 'action',
      fix: 'check the log of the server on the machine',
    });
  }
}

function renamed({ command, params }: Command): Command | undefined {
  // Newer servers use pynput, older ones pyautogui.
  const alternativeName = (name: unknown) => keyNamed(String(name)).pynput ?? name;
  const changed =
    'key' in params
      ? { key: alternativeName(params.key) }
      : Array.isArray(params.keys)
        ? { keys: params.keys.map(alternativeName) }
        : undefined;
  return changed === undefined || JSON.stringify(changed) === JSON.stringify(params)
    ? undefined
    : { command, params: changed };
}
