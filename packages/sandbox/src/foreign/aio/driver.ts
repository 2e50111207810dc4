import { GyreError, keysOf, type Size } from '@gyre/protocol';
import { setTimeout as pause } from 'node:timers/promises';
import { fieldOf, integer, list, malformed, parsed, sizeIn, text, textOrNone, type Part } from '../driven/answer.js';
import { browserLimits } from '../../input/checkAction.js';
import { unixLines } from '../../input/keys.js';
import { Mouse } from '../../input/mouse.js';
import type { ActionDriver } from '../../input/performAction.js';
import { graceMs, refuse, turn } from '../gesture.js';
import { failureText, type Http, type Question, type Reply } from '../driven/http.js';
import { sizeOfPng } from '../driven/png.js';
import { pyautoguiKey } from '../pyautoguiKeys.js';
import type { RemoteAccessibility, RemoteDriver, RemoteEntry, RemoteRun } from '../driven/driver.js';

const server = 'the AIO sandbox';

const clicks = {
  left: { action_type: 'CLICK' },
  right: { action_type: 'RIGHT_CLICK' },
  middle: { action_type: 'CLICK', button: 'middle' },
  double: { action_type: 'DOUBLE_CLICK' },
} as const;

/** The server drops the middle of longer outputs. */
const maxOutput = 2 ** 20;

/** AIO sandbox: desktop, browser, shell and files behind a REST API. */
export class AioDriver implements RemoteDriver {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  async probe(): Promise<Size> {
    const info = await this.#data({ method: 'GET', path: '/v1/browser/info', read: true });
    const viewport = sizeIn(fieldOf(info, 'viewport'));
    // Pointer coordinates cover the screen; the page may show less.
    const { headers } = await this.#http.ask({ method: 'GET', path: '/v1/browser/screenshot', read: true });
    const [width, height] = [headers['x-screen-width'], headers['x-screen-height']];
    if (width === undefined || height === undefined) return viewport;
    const where = `${this.#http.describe({ method: 'GET', path: '/v1/browser/screenshot' })} x-screen-width`;
    return sizeIn({ value: { width: Number(width), height: Number(height) }, where });
  }

  input(size: Size): Omit<ActionDriver, 'wait'> {
    const ask = async (path: string, json?: object) => {
      await this.#data({ method: 'POST', path: `/v1/browser/${path}`, json });
    };
    const does = (step: object) => ask('actions', step);
    const mouse = new Mouse({
      size,
      unanswered: 1,
      dragSteps: 1,
      notches: 1,
      pause: (ms) => pause(ms),
      glide: () => Promise.resolve(),
      click: (at, button, count) => does({ ...clicks[count === 2 ? 'double' : button], ...at }),
      move: (to, within) => does({ action_type: within === 'drag' ? 'DRAG_TO' : 'MOVE_TO', ...to }),
      down: (button) => does({ action_type: 'MOUSE_DOWN', button }),
      up: (button) => does({ action_type: 'MOUSE_UP', button }),
      wheel: (direction) => {
        const { right, up } = turn(direction);
        // Up and left are positive in this protocol.
        return does({ action_type: 'SCROLL', dx: 0 - right, dy: up });
      },
    });
    const key = (name: string) => pyautoguiKey(name, false);
    return {
      limits: { ...browserLimits, machine: server },
      pointer: mouse,
      keyboard: {
        type: (text) => does({ action_type: 'TYPING', text: unixLines(text) }),
        hotkey: (keys) => does({ action_type: 'HOTKEY', keys: keysOf(keys).map(key) }),
        press: (name) => does({ action_type: 'KEY_DOWN', key: key(name) }),
        release: (name) => does({ action_type: 'KEY_UP', key: key(name) }),
      },
      navigate: (url) => ask('page/navigate', { url }),
      back: () => ask('page/back'),
    };
  }

  async screenshot(): Promise<Uint8Array> {
    const question = { method: 'GET', path: '/v1/browser/screenshot', read: true } as const;
    const { bytes } = await this.#http.ask(question);
    sizeOfPng(bytes, this.#http.describe(question));
    return bytes;
  }

  async run(command: string, timeoutMs: number): Promise<RemoteRun> {
    const seconds = timeoutMs / 1_000;
    const json = { command, hard_timeout: seconds, max_output_length: maxOutput };
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
    return refuse(server, 'return an accessibility tree', 'use its screen', 'protocol');
  }

  launch(): Promise<void> {
    return refuse(server, 'launch a program by its name', 'start it with run', 'program');
  }

  /** Serves older images, whose terminals have no separate stderr. */
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

  /** Ignores failures: the server ends the session eventually. */
  async #forget(session: string): Promise<void> {
    if (session === '') return;
    const path = `/v1/bash/sessions/${encodeURIComponent(session)}/close`;
    await this.#http.ask({ method: 'POST', path }).catch(() => {});
  }

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

  #unwrapped(question: Question, reply: Reply): Part {
    const answer = parsed(reply.bytes, this.#http.describe(question));
    const success = fieldOf(answer, 'success');
    if (typeof success.value !== 'boolean') throw malformed(success, 'true or false');
    if (success.value) return fieldOf(answer, 'data');
    throw new GyreError('infra', `${answer.where}: ${textOrNone(fieldOf(answer, 'message'))}`, {
      part: 'remote',
      field: 'action',
      fix: 'check the log of the server on the machine',
    });
  }

  #refused(question: Question, path: string, message: string): GyreError {
    return new GyreError('bad_input', `${this.#http.describe(question)}: ${JSON.stringify(path)}${message}`, {
      field: 'path',
      fix: 'use a path that exists on the machine',
    });
  }
}

function exit(code: Part, timedOut: boolean): { exitCode?: number } {
  return timedOut ? {} : { exitCode: integer(code) };
}
