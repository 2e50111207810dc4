import { randomUUID } from 'node:crypto';
import { GyreError, MouseButton, type Action } from '@gyre/protocol';
import { PathRefused } from '../files/failure.js';
import { keyOfPyautogui } from '../remote/pyautoguiKeys.js';
import type { CompatMachine } from './machine.js';
import { chord, Pointer, waiting } from './pointer.js';
import {
  binary,
  json,
  jsonFields,
  numberField,
  textField,
  type CompatAnswer,
  type CompatHandler,
  type CompatRequest,
} from './request.js';
import { Turns } from '../turns.js';

type Fields = Readonly<Record<string, unknown>>;
type Route = (request: CompatRequest) => Promise<CompatAnswer> | CompatAnswer;

/** What the answers say of the server, and the version of the interface that is followed. */
const version = '1.9.4';

/** Longest a command may take, in s, unless its request says otherwise. */
const usualTimeout = 120;

const mostEntries = 10_000;

/**
 * Answers clients of the AIO sandbox with a session of gyre's: the screen, its pointer and keys, commands, files. Each command
 * has a shell of its own, whichever session it names. What the session has no part for is answered with 501.
 */
export function aioHandler(machine: CompatMachine): CompatHandler {
  const { desktop, shell, files, home = '/home/user' } = machine;
  const turns = new Turns();
  let pointer = new Pointer(desktop.size);

  const routes: Readonly<Record<string, Route>> = {
    'GET /v1/sandbox': () => {
      const system = { os: 'Linux', os_version: '', arch: process.arch, user: 'user', home_dir: home, workspace: home };
      const detail = {
        system: { ...system, timezone: 'UTC', occupied_ports: [] },
        runtime: { python: [], nodejs: [] },
        utils: [],
      };
      return json({ ...done(home), home_dir: home, workspace: home, version, detail });
    },
    'GET /v1/browser/info': () => {
      const { width, height } = desktop.size;
      return json(done({ user_agent: '', cdp_url: '', vnc_url: '', viewport: { width, height } }));
    },
    'GET /v1/browser/screenshot': async ({ query = {} }) => {
      if (!['png', undefined].includes(query['format'])) return invalid('format', 'only png is made here');
      const { png, size } = await desktop.observe();
      const sizes = { screen: desktop.size, image: size };
      const headers = Object.entries(sizes).flatMap(([name, { width, height }]) => [
        [`x-${name}-width`, String(width)],
        [`x-${name}-height`, String(height)],
      ]);
      return binary('image/png', png, Object.fromEntries(headers) as Record<string, string>);
    },
    'POST /v1/browser/actions': async (request) => {
      const fields = await jsonFields(request);
      await turns.next(async () => {
        const moved = pointer.copy();
        for (const action of actionsOf(fields, moved)) await desktop.act(action);
        pointer = moved;
      });
      const performed = String(fields['action_type']);
      return json({
        ...done({ status: 'success', action_performed: performed }),
        status: 'success',
        action_performed: performed,
      });
    },
    'POST /v1/browser/page/navigate': async (request) => {
      const url = textField(await jsonFields(request), 'url');
      await desktop.act({ type: 'navigate', url });
      return json(done({ url }));
    },
    'POST /v1/browser/page/back': async () => {
      await desktop.act({ type: 'navigate_back' });
      return json(done(null));
    },
    'POST /v1/bash/exec': async (request) => {
      const fields = await jsonFields(request);
      const command = textField(fields, 'command');
      const ran = await run(fields, command);
      const { stdout, stderr, exitCode = null, timedOut } = ran;
      const ids = { session_id: named(fields['session_id']), command_id: randomUUID(), command };
      const status = timedOut ? 'timed_out' : 'completed';
      const offsets = { offset: Buffer.byteLength(stdout), stderr_offset: Buffer.byteLength(stderr) };
      return json(done({ ...ids, status, stdout, stderr, exit_code: timedOut ? null : exitCode, ...offsets }));
    },
    'POST /v1/shell/exec': async (request) => {
      const fields = await jsonFields(request);
      const command = textField(fields, 'command');
      // A terminal shows both in one.
      const { stdout: output, exitCode = null, timedOut } = await run(fields, `{\n${command}\n} 2>&1`);
      const status = timedOut ? 'hard_timeout' : 'completed';
      const result = {
        session_id: named(fields['id']),
        command,
        status,
        output,
        exit_code: timedOut ? null : exitCode,
      };
      return json(done({ ...result, console: [{ ps1: '$', command, output }] }));
    },
    'POST /v1/file/read': async (request) => {
      const fields = await jsonFields(request);
      const file = textField(fields, 'file');
      const text = Buffer.from(await (files ?? missing('files')).readBytes(file)).toString('utf8');
      const [first, last] = [numberField(fields, 'start_line'), numberField(fields, 'end_line')];
      const part = first === undefined && last === undefined;
      return json(
        done({
          content: part
            ? text
            : text
                .split('\n')
                .slice(first ?? 0, last)
                .join('\n'),
          file,
        }),
      );
    },
    'POST /v1/file/write': async (request) => {
      const fields = await jsonFields(request);
      const file = textField(fields, 'file');
      const { content, encoding = 'utf-8' } = fields;
      if (typeof content !== 'string') return invalid('content', 'it must be a text');
      if (!['utf-8', 'base64', 'raw'].includes(String(encoding))) return invalid('encoding', 'utf-8, base64 or raw');
      const ends = (name: string) => (fields[name] === true ? '\n' : '');
      const bytes =
        encoding === 'base64'
          ? Buffer.from(content, 'base64')
          : Buffer.from(ends('leading_newline') + content + ends('trailing_newline'));
      const mode = fields['append'] === true ? 'append' : 'replace';
      await (files ?? missing('files')).write(file, bytes, { mode, folders: true });
      return json(done({ file, bytes_written: bytes.length }));
    },
    'POST /v1/file/list': async (request) => {
      const fields = await jsonFields(request);
      const path = textField(fields, 'path');
      const depth = fields['recursive'] === true ? (numberField(fields, 'max_depth') ?? 32) : 1;
      const { entries } = await (files ?? missing('files')).list(path, { depth, limit: mostEntries });
      const found = entries.map((entry) => {
        const name = entry.path.split('/').at(-1)!;
        const is_directory = entry.type === 'folder';
        return {
          name,
          path: entry.path.startsWith('/') ? entry.path : `${home}/${entry.path}`,
          is_directory,
          size: entry.size ?? null,
        };
      });
      const directory_count = found.filter((entry) => entry.is_directory).length;
      const counts = { total_count: found.length, directory_count, file_count: found.length - directory_count };
      return json(done({ path, files: found, ...counts }));
    },
    'GET /v1/file/download': async ({ query = {} }) => {
      const path = query['path'] ?? '';
      if (path === '') return invalid('path', 'it is required');
      return binary('application/octet-stream', await (files ?? missing('files')).readBytes(path));
    },
  };

  return async (request) => {
    const route = `${request.method.toUpperCase()} ${request.path}`;
    try {
      const closing = /^POST \/v1\/bash\/sessions\/[^/]+\/close$/.test(route);
      if (closing) return json(done(null));
      if (!Object.hasOwn(routes, route)) return json({ detail: 'Not Found' }, 404);
      return await routes[route]!(request);
    } catch (error) {
      return failed(error, request.path);
    }
  };

  async function run(fields: Fields, command: string) {
    const seconds = numberField(fields, 'hard_timeout') ?? numberField(fields, 'timeout') ?? usualTimeout;
    const cwd = typeof fields['exec_dir'] === 'string' ? { cwd: fields['exec_dir'] } : {};
    const given = fields['env'];
    const more = typeof given === 'object' && given !== null ? (given as Record<string, string>) : {};
    const env = { ...desktop.env, ...more };
    return (shell ?? missing('shell')).run(command, { timeoutMs: seconds * 1_000, env, ...cwd });
  }
}

/** The actions that a request of a client stands for. Throws `bad_input` for what is none. */
function actionsOf(fields: Fields, pointer: Pointer): Action[] {
  const number = (field: string) => numberField(fields, field);
  const needed = (field: string) => number(field) ?? lacks(field);
  const button = () => MouseButton.safeParse(fields['button'] ?? 'left').data ?? lacks('button');
  const key = () => keyOfPyautogui(textField(fields, 'key'));
  switch (fields['action_type']) {
    case 'MOVE_TO':
      return pointer.move(needed('x'), needed('y'));
    case 'MOVE_REL':
      return pointer.moveBy(needed('x_offset'), needed('y_offset'));
    case 'CLICK': {
      const clicks = number('num_clicks') ?? 1;
      return [1, 2, 3].includes(clicks)
        ? pointer.click(number('x'), number('y'), button(), clicks)
        : lacks('num_clicks');
    }
    case 'RIGHT_CLICK':
      return pointer.click(number('x'), number('y'), 'right', 1);
    case 'DOUBLE_CLICK':
      return pointer.click(number('x'), number('y'), 'left', 2);
    case 'MOUSE_DOWN':
      return pointer.down(undefined, undefined, button());
    case 'MOUSE_UP':
      return pointer.up(undefined, undefined, button());
    case 'DRAG_TO':
      return pointer.dragTo(needed('x'), needed('y'), 'left');
    case 'DRAG_REL':
      return pointer.dragBy(needed('x_offset'), needed('y_offset'), 'left');
    case 'SCROLL':
      // Up and left are positive in the clients of the sandbox.
      return pointer.scroll(0 - (number('dx') ?? 0), number('dy') ?? 0);
    case 'TYPING': {
      const { text } = fields;
      if (typeof text !== 'string') return lacks('text');
      return text === '' ? [] : [{ type: 'type', text }];
    }
    case 'PRESS':
      return chord([key()]);
    case 'KEY_DOWN':
      return [{ type: 'press', key: key() }];
    case 'KEY_UP':
      return [{ type: 'release', key: key() }];
    case 'HOTKEY': {
      const { keys } = fields;
      if (!Array.isArray(keys) || keys.length === 0) return lacks('keys');
      return chord(keys.map((name) => keyOfPyautogui(typeof name === 'string' ? name : lacks('keys'))));
    }
    case 'WAIT':
      return waiting(needed('duration'));
    default:
      return lacks('action_type');
  }
}

function lacks(field: string): never {
  throw new GyreError('bad_input', `${field} is none that an action takes`, {
    field,
    fix: 'see the OpenAPI of the sandbox',
  });
}

/** The envelope of an answer. */
function done(data: unknown): object {
  return { success: true, message: 'Operation successful', data, hint: null };
}

/** The name of a session that the client gave, or a new one. */
function named(id: unknown): string {
  return typeof id === 'string' && id !== '' ? id : randomUUID();
}

/** A field that does not fit, as FastAPI says it. */
function invalid(field: string, message: string): CompatAnswer {
  return json({ detail: [{ loc: ['body', field], msg: message, type: 'value_error' }] }, 422);
}

/** Says that the session has no such part. */
function missing(part: string): never {
  throw new GyreError('missing', `this session has no ${part}`, { field: part, fix: 'lease one that has' });
}

function failed(error: unknown, path: string): CompatAnswer {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof GyreError ? error.code : undefined;
  if (code === 'bad_input' && path === '/v1/file/download') return json({ detail: message }, 404);
  // Without data, which not every client of the sandbox can read where it is an error.
  if (error instanceof PathRefused) return json({ success: false, message, data: null, hint: null });
  if (error instanceof GyreError && code === 'bad_input') return invalid(error.detail.field ?? 'body', message);
  return json({ success: false, message, data: null, hint: null }, code === 'missing' ? 501 : 500);
}
