import { json, jsonFields, type CompatAnswer, type CompatHandler } from '../served/request.js';
import { program } from './program.js';
import { ScreenDouble } from './screenDouble.js';

type Fields = Readonly<Record<string, unknown>>;

interface Parameters {
  readonly x?: number;
  readonly y?: number;
  readonly button?: string;
  readonly path?: string;
}

export interface CuaDoubleOptions {
  /** Requires this token and a container name. */
  readonly token?: string;
  readonly system?: 'linux' | 'macos' | 'windows';
  readonly newer?: boolean;
}

const pynput: Readonly<Record<string, string>> = {
  page_up: 'pageup',
  page_down: 'pagedown',
  caps_lock: 'capslock',
  cmd: 'win',
};

/** cua's computer-server (PyPI 0.1.25, and main in August 2026). Commands run on this machine. */
export class CuaDouble {
  readonly screen = new ScreenDouble();
  readonly files = new Map<string, Uint8Array>();
  readonly launched: string[] = [];
  readonly #options: CuaDoubleOptions;

  constructor(options: CuaDoubleOptions = {}) {
    this.#options = options;
  }

  readonly handler: CompatHandler = async (request) => {
    const { token, system = 'linux' } = this.#options;
    const route = `${request.method} ${request.path}`;
    if (route === 'GET /status') return json({ status: 'ok', os_type: system, features: [] });
    if (route !== 'POST /cmd') return json({ detail: 'Not Found' }, 404);
    if (token !== undefined) {
      if (request.headers?.['x-container-name'] === undefined) return json({ detail: 'Container name required' }, 401);
      if (request.headers['x-api-key'] !== token) return json({ detail: 'Authentication failed' }, 401);
    }
    const { command, params = {} } = await jsonFields(request);
    const result = await this.#do(command as string, params as Fields);
    if (result === undefined) return json({ detail: `Unknown command: ${String(command)}` }, 400);
    return stream(result);
  };

  async #do(command: string, params: Fields): Promise<Fields | undefined> {
    const { screen, files } = this;
    const { x, y, button = 'left', path } = params as Parameters;
    const aim = () => {
      if (x !== undefined && y !== undefined) screen.move(x, y);
    };
    const click = (name: string, clicks = 1) => {
      aim();
      for (let count = 0; count < clicks; count++) {
        screen.button(true, name);
        screen.button(false, name);
      }
      return {};
    };
    switch (command) {
      case 'get_screen_size':
        return { success: true, size: screen.size };
      case 'screenshot':
        return { success: true, image_data: Buffer.from(screen.png()).toString('base64') };
      case 'left_click':
        return click('left');
      case 'right_click':
        return click('right');
      case 'double_click':
        return click('left', 2);
      case 'move_cursor':
        aim();
        return {};
      case 'mouse_down':
      case 'mouse_up':
        aim();
        screen.button(command === 'mouse_down', button);
        return {};
      case 'scroll':
        screen.wheel(x!, y!);
        return {};
      case 'scroll_up':
      case 'scroll_down':
        screen.wheel(0, Number(params.clicks) * (command === 'scroll_up' ? 1 : -1));
        return {};
      case 'type_text':
        screen.type(params.text as string);
        return {};
      case 'key_down':
      case 'key_up':
        return this.#keys([params.key as string], (key) => screen.key(command === 'key_down', key));
      case 'hotkey': {
        const keys = params.keys as string[];
        const down = this.#keys(keys, (key) => screen.key(true, key));
        return down.success === false ? down : this.#keys(keys.toReversed(), (key) => screen.key(false, key));
      }
      case 'run_command': {
        const ran = await program(['/bin/sh', '-c', params.command as string], 60_000);
        return { success: true, stdout: ran.stdout, stderr: ran.stderr, return_code: ran.code };
      }
      case 'read_bytes': {
        const content = files.get(path!);
        if (content === undefined)
          return { success: false, error: `[Errno 2] No such file or directory: '${String(path)}'` };
        return { success: true, content_b64: Buffer.from(content).toString('base64') };
      }
      case 'write_bytes':
        if (String(path).startsWith('/proc/')) return { success: false, error: '[Errno 2] No such file or directory' };
        files.set(path!, Buffer.from(params.content_b64 as string, 'base64'));
        return {};
      case 'list_dir': {
        const below = [...files.keys()].filter((file) => file.startsWith(`${String(path)}/`));
        if (below.length === 0) return { success: false, error: '[Errno 2] No such file or directory' };
        return {
          success: true,
          files: [...new Set(below.map((file) => file.slice(String(path).length + 1).split('/')[0]!))],
        };
      }
      case 'get_accessibility_tree':
        return { success: true, tree: { role: 'Window', title: 'double', children: [] } };
      case 'launch':
        if (this.#options.newer !== true) return undefined;
        this.launched.push([params.app, ...((params.args as string[] | undefined) ?? [])].join(' '));
        return { success: true, pid: 1 };
      default:
        return undefined;
    }
  }

  /** Skips unknown keys, as older servers do; newer ones report them and press none. */
  #keys(keys: readonly string[], press: (key: string) => void): Fields {
    const newer = this.#options.newer === true;
    const strange = keys.find((key) => (newer ? Object.values(pynput).includes(key) : key in pynput));
    if (strange !== undefined && newer) return { success: false, error: `Unknown key: ${strange}` };
    for (const key of keys) if (newer || !(key in pynput)) press(pynput[key] ?? key);
    return {};
  }
}

function stream(result: Fields): CompatAnswer {
  const body = Buffer.from(`data: ${JSON.stringify({ success: true, ...result })}\n\n`);
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}
