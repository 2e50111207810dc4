import { GyreError, keysOf, type Action, type Point, type Size } from '@gyre/protocol';
import { setTimeout as pause } from 'node:timers/promises';
import { pixelAt } from '../../browser/viewport.js';
import { fieldOf, integer, list, malformed, parsed, sizeIn, text, textOrNone, type Part } from '../driven/answer.js';
import { checkAction, graceMs, longPressMs, refuse, turn, typed } from '../gesture.js';
import { failureText, type Http, type Question, type Reply } from '../driven/http.js';
import { sizeOfPng } from '../driven/png.js';
import { pyautoguiKey } from '../pyautoguiKeys.js';
import type { RemoteAccessibility, RemoteEntry, RemoteRun, RemoteDriver } from '../driven/driver.js';

const server = 'the AIO sandbox';

/** Characters of output; the server drops the middle of a longer one. */
const mostOutput = 2 ** 20;

/** Drives the AIO sandbox: a desktop with a browser, a shell and files behind one REST interface. */
export class AioDriver implements RemoteDriver {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  async probe(): Promise<Size> {
    const info = await this.#data({ method: 'GET', path: '/v1/browser/info', read: true });
    const viewport = sizeIn(fieldOf(info, 'viewport'));
    // The pointer moves on the whole screen, of which the page may show less.
    const { headers } = await this.#http.ask({ method: 'GET', path: '/v1/browser/screenshot', read: true });
    const [width, height] = [headers['x-screen-width'], headers['x-screen-height']];
    if (width === undefined || height === undefined) return viewport;
    const where = `${this.#http.describe({ method: 'GET', path: '/v1/browser/screenshot' })} x-screen-width`;
    return sizeIn({ value: { width: Number(width), height: Number(height) }, where });
  }

  check(action: Action): void {
    checkAction(action);
    if (action.type === 'press_home' || action.type === 'open_app') {
      refuse(server, `take the action ${action.type}`, 'use it on a phone, or use navigate');
    }
  }

  async perform(action: Action, size: Size): Promise<void> {
    switch (action.type) {
      case 'navigate':
        await this.#data({ method: 'POST', path: '/v1/browser/page/navigate', json: { url: action.url } });
        return;
      case 'navigate_back':
      case 'press_back':
        await this.#data({ method: 'POST', path: '/v1/browser/page/back' });
        return;
      default:
        for (const step of steps(action, size)) {
          if (typeof step === 'number') await pause(step);
          else await this.#data({ method: 'POST', path: '/v1/browser/actions', json: step });
        }
    }
  }

  async screenshot(): Promise<Uint8Array> {
    const question = { method: 'GET', path: '/v1/browser/screenshot', read: true } as const;
    const { bytes } = await this.#http.ask(question);
    sizeOfPng(bytes, this.#http.describe(question));
    return bytes;
  }

  async run(command: string, timeoutMs: number): Promise<RemoteRun> {
    const seconds = timeoutMs / 1_000;
    const json = { command, hard_timeout: seconds, max_output_length: mostOutput };
    const question: Question = {
      method: 'POST',
      path: '/v1/bash/exec',
      json,
      timeoutMs: timeoutMs + graceMs,
      accept: [404],
    };
    const reply = await this.#http.ask(question);
    if (reply.status === 404) return this.#shell(command, timeoutMs);
    const result = this.#unwrapped(question, reply);
    await this.#forget(textOrNone(fieldOf(result, 'session_id')));
    const timedOut = fieldOf(result, 'status').value === 'timed_out';
    return {
      ...exit(fieldOf(result, 'exit_code'), timedOut),
      stdout: textOrNone(fieldOf(result, 'stdout')),
      stderr: textOrNone(fieldOf(result, 'stderr')),
      timedOut,
      ms: reply.ms,
    };
  }

  async read(path: string): Promise<Uint8Array> {
    const question = { method: 'GET', path: '/v1/file/download', query: { path }, read: true } as const;
    const reply = await this.#http.ask({ ...question, accept: [400, 404, 422] });
    if (reply.status !== 200) throw this.#refused(question, path, failureText(reply));
    return reply.bytes;
  }

  async write(path: string, content: Uint8Array): Promise<void> {
    const json = { file: path, content: Buffer.from(content).toString('base64'), encoding: 'base64' };
    await this.#file({ method: 'POST', path: '/v1/file/write', json }, path);
  }

  async list(path: string): Promise<RemoteEntry[]> {
    const question: Question = { method: 'POST', path: '/v1/file/list', json: { path }, read: true };
    return list(fieldOf(await this.#file(question, path), 'files')).map((file) => ({
      name: text(fieldOf(file, 'name')),
      type: fieldOf(file, 'is_directory').value === true ? 'folder' : 'file',
    }));
  }

  accessibility(): Promise<RemoteAccessibility> {
    return refuse(server, 'tell what programs say that they show', 'look at its screen', 'protocol');
  }

  launch(): Promise<void> {
    return refuse(server, 'launch a program by its name', 'start it with run', 'program');
  }

  /** Runs a command on older images, which return the output of a terminal, without a separate stderr. */
  async #shell(command: string, timeoutMs: number): Promise<RemoteRun> {
    const json = { command, hard_timeout: timeoutMs / 1_000, truncate: false };
    const question: Question = { method: 'POST', path: '/v1/shell/exec', json, timeoutMs: timeoutMs + graceMs };
    const reply = await this.#http.ask(question);
    const result = this.#unwrapped(question, reply);
    const timedOut = fieldOf(result, 'status').value === 'hard_timeout';
    return {
      ...exit(fieldOf(result, 'exit_code'), timedOut),
      stdout: textOrNone(fieldOf(result, 'output')),
      stderr: '',
      timedOut,
      ms: reply.ms,
    };
  }

  /** Ends the session that the server made for a command. A failure is harmless: the server ends it in time. */
  async #forget(session: string): Promise<void> {
    if (session === '') return;
    const path = `/v1/bash/sessions/${encodeURIComponent(session)}/close`;
    await this.#http.ask({ method: 'POST', path }).catch(() => {});
  }

  /** Returns the `data` of an answer about a file. Throws `bad_input` for the path. */
  async #file(question: Question, path: string): Promise<Part> {
    const reply = await this.#http.ask({ ...question, accept: [400, 404, 422] });
    if (reply.status !== 200) throw this.#refused(question, path, failureText(reply));
    const answer = parsed(reply.bytes, this.#http.describe(question));
    if (fieldOf(answer, 'success').value === false) {
      throw this.#refused(question, path, `: ${textOrNone(fieldOf(answer, 'message'))}`);
    }
    return fieldOf(answer, 'data');
  }

  async #data(question: Question): Promise<Part> {
    return this.#unwrapped(question, await this.#http.ask(question));
  }

  /** Unwraps the envelope of an answer. Throws `infra` where the server reports a failure. */
  #unwrapped(question: Question, reply: Reply): Part {
    const answer = parsed(reply.bytes, this.#http.describe(question));
    const success = fieldOf(answer, 'success');
    if (typeof success.value !== 'boolean') throw malformed(success, 'true or false');
    if (success.value) return fieldOf(answer, 'data');
    throw new GyreError('infra', `${answer.where}: ${textOrNone(fieldOf(answer, 'message'))}`, {
      part: 'remote',
      field: 'action',
      fix: 'see the log of the server on the machine',
    });
  }

  #refused(question: Question, path: string, message: string): GyreError {
    return new GyreError('bad_input', `${this.#http.describe(question)}: ${JSON.stringify(path)}${message}`, {
      field: 'path',
      fix: 'give one that is on the machine',
    });
  }
}

function exit(code: Part, timedOut: boolean): { exitCode?: number } {
  return timedOut ? {} : { exitCode: integer(code) };
}

/** Yields the requests of an action; a number is a pause in ms. */
function* steps(action: Action, size: Size): Generator<object | number, void, undefined> {
  const place = (point: Point) => pixelAt(point, size);
  const moved = (point: Point) => ({ action_type: 'MOVE_TO', ...place(point) });
  const key = (name: string) => pyautoguiKey(name, false);
  switch (action.type) {
    case 'click':
      return yield { action_type: 'CLICK', ...place(action.point) };
    case 'right_click':
      return yield { action_type: 'RIGHT_CLICK', ...place(action.point) };
    case 'middle_click':
      return yield { action_type: 'CLICK', ...place(action.point), button: 'middle' };
    case 'double_click':
      return yield { action_type: 'DOUBLE_CLICK', ...place(action.point) };
    case 'mouse_down':
      if (action.point !== undefined) yield moved(action.point);
      return yield { action_type: 'MOUSE_DOWN', button: action.button ?? 'left' };
    case 'mouse_up':
      if (action.point !== undefined) yield moved(action.point);
      return yield { action_type: 'MOUSE_UP', button: action.button ?? 'left' };
    case 'mouse_move':
      return yield moved(action.point);
    case 'drag':
    case 'swipe':
      yield moved(action.start);
      yield { action_type: 'MOUSE_DOWN', button: 'left' };
      yield { action_type: 'DRAG_TO', ...place(action.end) };
      return yield { action_type: 'MOUSE_UP', button: 'left' };
    case 'long_press':
      yield moved(action.point);
      yield { action_type: 'MOUSE_DOWN', button: 'left' };
      yield longPressMs;
      return yield { action_type: 'MOUSE_UP', button: 'left' };
    case 'scroll': {
      if (action.point !== undefined) yield moved(action.point);
      const { right, up } = turn(action.direction);
      // Up and left are positive in the clients of the sandbox.
      return yield { action_type: 'SCROLL', dx: 0 - right, dy: up };
    }
    case 'type':
      return yield { action_type: 'TYPING', text: typed(action.text) };
    case 'hotkey':
      return yield { action_type: 'HOTKEY', keys: keysOf(action.keys).map(key) };
    case 'press':
      return yield { action_type: 'KEY_DOWN', key: key(action.key) };
    case 'release':
      return yield { action_type: 'KEY_UP', key: key(action.key) };
    default:
      // Nothing, refused by `check`, or no gesture.
      return;
  }
}
