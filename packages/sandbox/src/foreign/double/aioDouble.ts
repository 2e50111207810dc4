import { binary, json, jsonFields, type CompatAnswer, type CompatHandler } from '../served/request.js';
import { program } from './program.js';
import { ScreenDouble } from './screenDouble.js';

type Fields = Readonly<Record<string, unknown>>;

interface Gesture {
  readonly x?: number;
  readonly y?: number;
  readonly button?: string;
  readonly num_clicks?: number;
}

/**
 * After the OpenAPI of the AIO sandbox (1.9.4), failures included: its source is not public. Commands run on this
 * machine.
 */
export class AioDouble {
  readonly screen = new ScreenDouble();
  readonly files = new Map<string, Uint8Array>();
  readonly sessions = new Set<string>();
  readonly #token: string | undefined;
  readonly #bash: boolean;

  /** @param bash false: an older image without `/v1/bash`. */
  constructor({ token, bash = true }: { token?: string; bash?: boolean } = {}) {
    this.#token = token;
    this.#bash = bash;
  }

  readonly handler: CompatHandler = async (request) => {
    const authorization = request.headers?.authorization;
    if (this.#token !== undefined && authorization !== `Bearer ${this.#token}`)
      return json({ detail: 'Unauthorized' }, 401);
    const { width, height } = this.screen.size;
    const closing = /^\/v1\/bash\/sessions\/([^/]+)\/close$/.exec(request.path);
    if (closing !== null) {
      this.sessions.delete(closing[1]!);
      return done(null);
    }
    switch (`${request.method} ${request.path}`) {
      case 'GET /v1/browser/info':
        return done({ user_agent: 'double', cdp_url: '', vnc_url: '', viewport: { width, height: height - 8 } });
      case 'GET /v1/browser/screenshot':
        return binary('image/png', this.screen.png(), {
          'x-screen-width': String(width),
          'x-screen-height': String(height),
        });
      case 'POST /v1/browser/actions':
        return this.#act(await jsonFields(request));
      case 'POST /v1/browser/page/navigate':
        this.screen.events.push(`navigate ${String((await jsonFields(request)).url)}`);
        return done({});
      case 'POST /v1/browser/page/back':
        this.screen.events.push('back');
        return done(null);
      case 'POST /v1/bash/exec':
        return this.#bash ? this.#exec(await jsonFields(request)) : json({ detail: 'Not Found' }, 404);
      case 'POST /v1/shell/exec': {
        const { command, hard_timeout = 100 } = await jsonFields(request);
        const ran = await program(['bash', '-c', `{ ${String(command)}\n} 2>&1`], Number(hard_timeout) * 1_000);
        const status = ran.timedOut ? 'hard_timeout' : 'completed';
        return done({
          session_id: 's',
          command,
          status,
          output: ran.stdout,
          exit_code: ran.timedOut ? null : ran.code,
        });
      }
      case 'GET /v1/file/download': {
        const content = this.files.get(request.query?.path ?? '');
        return content === undefined
          ? json({ detail: 'File not found' }, 404)
          : binary('application/octet-stream', content);
      }
      case 'POST /v1/file/write': {
        const { file, content, encoding = 'utf-8' } = (await jsonFields(request)) as Record<string, string>;
        if (file!.startsWith('/proc/')) return wrong('write', file!);
        this.files.set(file!, Buffer.from(content!, encoding === 'base64' ? 'base64' : 'utf8'));
        return done({ file, bytes_written: this.files.get(file!)!.length });
      }
      case 'POST /v1/file/list':
        return this.#list((await jsonFields(request)).path as string);
      default:
        return json({ detail: 'Not Found' }, 404);
    }
  };

  #act(action: Fields): CompatAnswer {
    const { x, y, button = 'left', num_clicks: clicks = 1 } = action as Gesture;
    const press = (name: string, times: number) => {
      if (x !== undefined) this.screen.move(x, y!);
      for (let count = 0; count < times; count++) {
        this.screen.button(true, name);
        this.screen.button(false, name);
      }
    };
    switch (action.action_type) {
      case 'DRAG_TO':
      case 'MOVE_TO':
        this.screen.move(x!, y!);
        break;
      case 'CLICK':
        press(button, clicks);
        break;
      case 'RIGHT_CLICK':
        press('right', 1);
        break;
      case 'DOUBLE_CLICK':
        press('left', 2);
        break;
      case 'MOUSE_DOWN':
      case 'MOUSE_UP':
        this.screen.button(action.action_type === 'MOUSE_DOWN', button);
        break;
      case 'SCROLL':
        this.screen.wheel(0 - Number(action.dx ?? 0), Number(action.dy ?? 0));
        break;
      case 'TYPING':
        this.screen.type(action.text as string);
        break;
      case 'KEY_DOWN':
      case 'KEY_UP':
        this.screen.key(action.action_type === 'KEY_DOWN', action.key as string);
        break;
      case 'HOTKEY': {
        const keys = action.keys as string[];
        for (const key of keys) this.screen.key(true, key);
        for (const key of keys.toReversed()) this.screen.key(false, key);
        break;
      }
      default:
        return json({ detail: [{ loc: ['body'], msg: 'no such action', type: 'union_tag_invalid' }] }, 422);
    }
    return json({ success: true, status: 'success', action_performed: action.action_type, data: null });
  }

  async #exec(fields: Fields): Promise<CompatAnswer> {
    const { command, hard_timeout = 100 } = fields;
    const session_id = `session-${this.sessions.size + 1}`;
    this.sessions.add(session_id);
    const ran = await program(['bash', '-c', command as string], (hard_timeout as number) * 1_000);
    const result = ran.timedOut
      ? { status: 'timed_out', exit_code: null }
      : { status: 'completed', exit_code: ran.code < 0 ? 128 - ran.code : ran.code };
    return done({ session_id, command_id: 'c', command, stdout: ran.stdout, stderr: ran.stderr, ...result });
  }

  #list(folder: string): CompatAnswer {
    const below = [...this.files.keys()].filter((path) => path.startsWith(`${folder}/`));
    if (below.length === 0) return wrong('list', folder);
    const names = new Set(below.map((path) => path.slice(folder.length + 1).split('/')[0]!));
    const files = [...names].map((name) => {
      const path = `${folder}/${name}`;
      return { name, path, is_directory: !this.files.has(path) };
    });
    return done({ path: folder, files, total_count: files.length });
  }
}

function done(data: unknown): CompatAnswer {
  return json({ success: true, message: 'Operation successful', data, hint: null });
}

function wrong(operation: string, path: string): CompatAnswer {
  const message = `${path}: no such file or directory`;
  return json({ success: false, message, data: { path, operation, message, error_type: 'not_found' }, hint: null });
}
