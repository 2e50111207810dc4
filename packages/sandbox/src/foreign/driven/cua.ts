import { setTimeout as pause } from 'node:timers/promises';
import { GyreError, keysOf, type MouseButton, type Point, type Size } from '@gyre/protocol';
import { quotedWords } from '../served/shellWords.js';
import { pixelAt } from '../../browser/viewport.js';
import { at, base64, integer, list, malformed, object, parsed, sizeIn, text, textOrNone, type Part } from './answer.js';
import { desktopLimits } from '../../input/checkAction.js';
import { keyNamed, unixLines } from '../../input/keys.js';
import { type ActionDriver, longPressMs } from '../../input/performAction.js';
import { refuse, turn } from './gesture.js';
import { said, type Http, type Question } from './http.js';
import { sizeOfPng } from './png.js';
import { pyautoguiKey } from './pyautoguiKeys.js';
import type { RemoteAccessibility, RemoteEntry, RemoteRun, RemoteServer } from './server.js';

const server = "cua's computer-server";

/** Places between the ends of a drag where the pointer is seen. */
const dragSteps = 4;

const clicks = { left: 'left_click', right: 'right_click', double: 'double_click' } as const;

/** A command to the server. */
interface Command {
  readonly command: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * The computer-server of cua, by its REST interface: `POST /cmd`, which takes the same commands as its WebSocket. Its protocol
 * knows no time limit for commands of the shell.
 */
export class CuaServer implements RemoteServer {
  readonly #http: Http;
  #system = 'linux';

  constructor(http: Http) {
    this.#http = http;
  }

  async probe(): Promise<Size> {
    const question = { method: 'GET', path: '/status', read: true } as const;
    const status = parsed((await this.#http.ask(question)).bytes, this.#http.describe(question));
    this.#system = text(at(status, 'os_type'));
    return sizeIn(at(await this.#told({ command: 'get_screen_size', params: {} }, true), 'size'));
  }

  input(size: Size): Omit<ActionDriver, 'wait'> {
    const place = (point?: Point) => (point === undefined ? {} : { ...pixelAt(point, size) });
    const does = (command: string, params: Command['params'] = {}) => this.#gesture({ command, params });
    const move = (point: Point) => does('move_cursor', place(point));
    const down = (button: MouseButton, point?: Point) => does('mouse_down', { ...place(point), button });
    const up = (button: MouseButton, point?: Point) => does('mouse_up', { ...place(point), button });
    // Its own `drag` takes other parameters in each version, and lets go at every corner in some.
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
    const answer = at(await this.#told({ command: 'screenshot', params: {} }, true), 'image_data');
    const png = base64(answer);
    sizeOfPng(png, answer.where);
    return png;
  }

  async run(command: string, timeoutMs: number): Promise<RemoteRun> {
    const begin = performance.now();
    const answer = await this.#told({ command: 'run_command', params: { command } }, false, timeoutMs);
    const code = integer(at(answer, 'return_code'));
    return {
      // Python gives the number of a signal as a negative one.
      exitCode: code < 0 ? 128 - code : code,
      stdout: textOrNone(at(answer, 'stdout')),
      stderr: textOrNone(at(answer, 'stderr')),
      timedOut: false,
      ms: performance.now() - begin,
    };
  }

  async read(path: string): Promise<Uint8Array> {
    return base64(at(await this.#file({ command: 'read_bytes', params: { path } }, path, true), 'content_b64'));
  }

  async write(path: string, content: Uint8Array): Promise<void> {
    const content_b64 = Buffer.from(content).toString('base64');
    await this.#file({ command: 'write_bytes', params: { path, content_b64 } }, path, false);
  }

  async list(path: string): Promise<RemoteEntry[]> {
    const files = at(await this.#file({ command: 'list_dir', params: { path } }, path, true), 'files');
    return list(files).map((name) => ({ name: text(name), type: undefined }));
  }

  async accessibility(): Promise<RemoteAccessibility> {
    if (this.#system === 'linux') {
      // It answers with one window that it makes up.
      refuse(`${server} on Linux`, 'tell what programs say that they show', 'look at its screen', 'protocol');
    }
    const answer = await this.#told({ command: 'get_accessibility_tree', params: {} }, true);
    return { format: 'json', tree: object(at(answer, 'tree')) };
  }

  async launch(program: string, args: readonly string[]): Promise<void> {
    // Without arguments newer servers take the program for a line of the shell.
    const line = this.#system === 'windows' || /^[\w./-]+$/.test(program) ? program : quotedWords([program]);
    const params = args.length === 0 ? { app: line } : { app: program, args: [...args] };
    const answer = await this.#answer({ command: 'launch', params }, false);
    if (at(answer, 'success').value !== false) return;
    throw new GyreError('bad_input', `${answer.where}: ${textOrNone(at(answer, 'error'))}`, {
      field: 'program',
      fix: 'give a program that is on the machine',
    });
  }

  /** Does a part of an action. A key that the server does not know by its first name is tried by its other. */
  async #gesture(step: Command): Promise<void> {
    const answer = await this.#answer(step, false);
    if (at(answer, 'success').value !== false) return;
    const other = renamed(step);
    const again = other === undefined ? answer : await this.#answer(other, false);
    if (at(again, 'success').value === false) throw this.#failed(again);
  }

  /** What a command gives. Throws `infra` where it failed. */
  async #told(command: Command, read: boolean, timeoutMs?: number): Promise<Part> {
    const answer = await this.#answer(command, read, timeoutMs);
    if (at(answer, 'success').value === false) throw this.#failed(answer);
    return answer;
  }

  /** What a command about a file gives. Throws `bad_input` where it failed. */
  async #file(command: Command, path: string, read: boolean): Promise<Part> {
    const answer = await this.#answer(command, read);
    if (at(answer, 'success').value !== false) return answer;
    throw new GyreError('bad_input', `${answer.where}: ${JSON.stringify(path)}: ${textOrNone(at(answer, 'error'))}`, {
      field: 'path',
      fix: 'give one that is on the machine',
    });
  }

  /** The answer to a command, whether it succeeded or not. */
  async #answer(json: Command, read: boolean, timeoutMs?: number): Promise<Part> {
    const time = timeoutMs === undefined ? {} : { timeoutMs };
    const question: Question = { method: 'POST', path: '/cmd', json, read, accept: [400], ...time };
    const reply = await this.#http.ask(question);
    const where = `${this.#http.describe(question)} ${json.command}`;
    if (reply.status === 400)
      return refuse(server, `do ${json.command}${said(reply)}`, 'install a newer one', 'protocol');
    // One event of a stream (text/event-stream), though it is not called so.
    const body = reply.bytes.toString('utf8');
    const data = /^data: (.*)$/m.exec(body)?.[1];
    if (data === undefined) throw malformed({ value: body, where }, 'data');
    const answer = parsed(Buffer.from(data), where);
    const success = at(answer, 'success');
    if (typeof success.value !== 'boolean') throw malformed(success, 'true or false');
    return answer;
  }

  #failed(answer: Part): GyreError {
    return new GyreError('infra', `${answer.where}: ${textOrNone(at(answer, 'error'))}`, {
      part: 'remote',
      field: 'action',
      fix: 'see the log of the server on the machine',
    });
  }
}

/** The same command with the other names of its keys; undefined where they have none. */
function renamed({ command, params }: Command): Command | undefined {
  // Newer servers move the pointer by pynput, older ones by pyautogui.
  const other = (name: unknown) => keyNamed(String(name)).pynput ?? name;
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
