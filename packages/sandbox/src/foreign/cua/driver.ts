import { setTimeout as pause } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { GyreError, keysOf, type Action, type Point, type Size } from '@gyre/protocol';
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
import { checkAction, longPressMs, refuse, turn, typed } from '../gesture.js';
import { failureText, type Http, type Question } from '../driven/http.js';
import { sizeOfPng } from '../driven/png.js';
import { pyautoguiKey } from '../pyautoguiKeys.js';
import type { RemoteAccessibility, RemoteEntry, RemoteRun, RemoteDriver } from '../driven/driver.js';

const server = "cua's computer-server";

/** Steps of a drag between its ends. */
const dragSteps = 4;

/** Names of keys in newer servers, which use pynput; older ones use pyautogui. */
const pynputNames: Readonly<Record<string, string>> = {
  pageup: 'page_up',
  pagedown: 'page_down',
  capslock: 'caps_lock',
  win: 'cmd',
  command: 'cmd',
};

interface Command {
  readonly command: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Drives the computer-server of cua through `POST /cmd`, which takes the commands of its WebSocket. The protocol has no time limit for
 * commands of the shell.
 */
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
    return sizeIn(fieldOf(await this.#told({ command: 'get_screen_size', params: {} }, true), 'size'));
  }

  check(action: Action): void {
    checkAction(action);
    switch (action.type) {
      case 'navigate':
      case 'navigate_back':
      case 'press_back':
      case 'press_home':
      case 'open_app':
        return refuse(server, `take the action ${action.type}`, 'use the pointer and the keys, as a person would');
      case 'scroll':
        if (this.#system !== 'windows' || turn(action.direction).right === 0) return;
        return refuse(server, 'scroll sideways on Windows', 'use up or down', 'direction');
      default:
        return;
    }
  }

  async perform(action: Action, size: Size): Promise<void> {
    for (const step of steps(action, size, this.#system === 'macos')) {
      if (typeof step === 'number') await pause(step);
      else await this.#gesture(step);
    }
  }

  async screenshot(): Promise<Uint8Array> {
    const answer = fieldOf(await this.#told({ command: 'screenshot', params: {} }, true), 'image_data');
    const png = base64(answer);
    sizeOfPng(png, answer.where);
    return png;
  }

  async run(command: string, timeoutMs: number): Promise<RemoteRun> {
    const begin = performance.now();
    const answer = await this.#told({ command: 'run_command', params: { command } }, false, timeoutMs);
    const code = integer(fieldOf(answer, 'return_code'));
    return {
      // Python gives the number of a signal as a negative one.
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
      // It answers with one window that it makes up.
      refuse(`${server} on Linux`, 'tell what programs say that they show', 'look at its screen', 'protocol');
    }
    const answer = await this.#told({ command: 'get_accessibility_tree', params: {} }, true);
    return { format: 'json', tree: object(fieldOf(answer, 'tree')) };
  }

  async launch(program: string, args: readonly string[]): Promise<void> {
    // Without arguments newer servers take the program for a line of the shell.
    const line = this.#system === 'windows' || /^[\w./-]+$/.test(program) ? program : quotedWords([program]);
    const params = args.length === 0 ? { app: line } : { app: program, args: [...args] };
    const answer = await this.#answer({ command: 'launch', params }, false);
    if (fieldOf(answer, 'success').value !== false) return;
    throw new GyreError('bad_input', `${answer.where}: ${textOrNone(fieldOf(answer, 'error'))}`, {
      field: 'program',
      fix: 'give a program that is on the machine',
    });
  }

  /** Performs a step of an action. Retries a key that the server does not know by its first name with the other. */
  async #gesture(step: Command): Promise<void> {
    const answer = await this.#answer(step, false);
    if (fieldOf(answer, 'success').value !== false) return;
    const other = renamed(step);
    const again = other === undefined ? answer : await this.#answer(other, false);
    if (fieldOf(again, 'success').value === false) throw this.#failed(again);
  }

  /** Returns the result of a command. Throws `infra` where it failed. */
  async #told(command: Command, read: boolean, timeoutMs?: number): Promise<Part> {
    const answer = await this.#answer(command, read, timeoutMs);
    if (fieldOf(answer, 'success').value === false) throw this.#failed(answer);
    return answer;
  }

  /** Returns the result of a command about a file. Throws `bad_input` where it failed. */
  async #file(command: Command, path: string, read: boolean): Promise<Part> {
    const answer = await this.#answer(command, read);
    if (fieldOf(answer, 'success').value !== false) return answer;
    throw new GyreError(
      'bad_input',
      `${answer.where}: ${JSON.stringify(path)}: ${textOrNone(fieldOf(answer, 'error'))}`,
      {
        field: 'path',
        fix: 'give one that is on the machine',
      },
    );
  }

  /** Returns the answer to a command, whether it succeeded or not. */
  async #answer(json: Command, read: boolean, timeoutMs?: number): Promise<Part> {
    const time = timeoutMs === undefined ? {} : { timeoutMs };
    const question: Question = { method: 'POST', path: '/cmd', json, read, accept: [400], ...time };
    const reply = await this.#http.ask(question);
    const where = `${this.#http.describe(question)} ${json.command}`;
    if (reply.status === 400)
      return refuse(server, `do ${json.command}${failureText(reply)}`, 'install a newer one', 'protocol');
    // An event stream of one event, under another content type.
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
      fix: 'see the log of the server on the machine',
    });
  }
}

/** Returns the command with the other names of its keys; undefined where they have none. */
function renamed({ command, params }: Command): Command | undefined {
  const other = (key: unknown) => pynputNames[String(key)] ?? key;
  const changed =
    'key' in params
      ? { key: other(params.key) }
      : Array.isArray(params.keys)
        ? { keys: params.keys.map(other) }
        : undefined;
  return changed === undefined || JSON.stringify(changed) === JSON.stringify(params)
    ? undefined
    : { command, params: changed };
}

/** Yields the commands of an action; a number is a pause in ms. */
function* steps(action: Action, size: Size, mac: boolean): Generator<Command | number, void, undefined> {
  const place = (point: Point) => pixelAt(point, size);
  const command = (name: string, params: Command['params'] = {}): Command => ({ command: name, params });
  const moved = (point: Point) => command('move_cursor', { ...place(point) });
  const key = (name: string) => pyautoguiKey(name, mac);
  switch (action.type) {
    case 'click':
      return yield command('left_click', { ...place(action.point) });
    case 'right_click':
      return yield command('right_click', { ...place(action.point) });
    case 'double_click':
      return yield command('double_click', { ...place(action.point) });
    case 'middle_click':
      yield command('mouse_down', { ...place(action.point), button: 'middle' });
      return yield command('mouse_up', { ...place(action.point), button: 'middle' });
    case 'mouse_down':
    case 'mouse_up': {
      const point = action.point === undefined ? {} : place(action.point);
      return yield command(action.type, { ...point, button: action.button ?? 'left' });
    }
    case 'mouse_move':
      return yield moved(action.point);
    case 'drag':
    case 'swipe': {
      // Its own `drag` takes other parameters in each version, and lets go at every corner in some.
      yield command('mouse_down', { ...place(action.start), button: 'left' });
      for (let step = 1; step <= dragSteps; step++) {
        const share = step / dragSteps;
        const between = (from: number, to: number) => from + (to - from) * share;
        const { start, end } = action;
        yield step < dragSteps ? moved({ x: between(start.x, end.x), y: between(start.y, end.y) }) : moved(end);
      }
      return yield command('mouse_up', { ...place(action.end), button: 'left' });
    }
    case 'long_press':
      yield command('mouse_down', { ...place(action.point), button: 'left' });
      yield longPressMs;
      return yield command('mouse_up', { ...place(action.point), button: 'left' });
    case 'scroll': {
      if (action.point !== undefined) yield moved(action.point);
      const { right, up } = turn(action.direction);
      if (up === 0) return yield command('scroll', { x: right, y: 0 });
      return yield command(up > 0 ? 'scroll_up' : 'scroll_down', { clicks: Math.abs(up) });
    }
    case 'type':
      return yield command('type_text', { text: typed(action.text) });
    case 'hotkey':
      return yield command('hotkey', { keys: keysOf(action.keys).map(key) });
    case 'press':
      return yield command('key_down', { key: key(action.key) });
    case 'release':
      return yield command('key_up', { key: key(action.key) });
    default:
      // Nothing, or refused by `check`.
      return;
  }
}
