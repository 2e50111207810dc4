import {
  binary,
  formFields,
  json,
  jsonFields,
  plain,
  type CompatAnswer,
  type CompatHandler,
} from '../served/request.js';
import { program } from './program.js';
import type { PythonDouble } from './pyautoguiDouble.js';
import { ScreenDouble } from './screenDouble.js';

/**
 * OSWorld's in-VM server (xlang-ai/osworld-server, June 2026). Commands run on this machine; pyautogui drives a {@link
 * ScreenDouble}.
 */
export class OsworldDouble {
  readonly screen = new ScreenDouble();
  readonly files = new Map<string, Uint8Array>();
  readonly launched: string[][] = [];
  readonly #python: PythonDouble;

  constructor(python: PythonDouble) {
    this.#python = python;
  }

  readonly handler: CompatHandler = async (request) => {
    const { width, height } = this.screen.size;
    switch (`${request.method} ${request.path}`) {
      case 'POST /screen_size':
        return json({ height, width });
      case 'GET /platform':
        return plain('Linux');
      case 'GET /screenshot':
        return binary('image/png', this.screen.png());
      case 'GET /accessibility':
        return json({ AT: '<desktop-frame name="main"><application name="double"/></desktop-frame>' });
      case 'POST /execute':
        return this.#execute(await jsonFields(request));
      case 'POST /setup/launch': {
        const command = (await jsonFields(request)).command as string[];
        if (command[0] === 'no-such-program') {
          return json({ status: 'error', message: `[Errno 2] No such file or directory: '${command[0]}'` }, 500);
        }
        this.launched.push(command);
        return plain(`${command.join(' ')} launched successfully`);
      }
      case 'POST /file': {
        const path = (await formFields(request)).get('file_path');
        if (typeof path !== 'string') return json({ error: 'file_path is required' }, 400);
        const content = this.files.get(path);
        return content === undefined
          ? json({ error: 'File not found' }, 404)
          : binary('application/octet-stream', content);
      }
      case 'POST /setup/upload': {
        const fields = await formFields(request);
        const [path, data] = [fields.get('file_path'), fields.get('file_data')];
        if (typeof path !== 'string' || !(data instanceof Uint8Array)) {
          return json({ error: 'file_path and file_data are required' }, 400);
        }
        if (path.startsWith('/proc/')) return json({ error: `Failed to upload file: [Errno 2] '${path}'` }, 500);
        this.files.set(path, data);
        return plain(`File Uploaded: ${data.length} bytes`);
      }
      case 'POST /list_directory': {
        const path = (await jsonFields(request)).path as string;
        const children = this.#children(path);
        if (children.length === 0) return json({ error: 'The provided path is not a directory' }, 400);
        return json({ directory_tree: { type: 'directory', name: path.split('/').at(-1), children } });
      }
      default:
        return plain('<!doctype html><title>404 Not Found</title>', 404);
    }
  };

  async #execute(fields: Readonly<Record<string, unknown>>): Promise<CompatAnswer> {
    const { command, shell = false, timeout = 120 } = fields;
    const ms = (timeout as number) * 1_000;
    try {
      const words = shell === true ? ['/bin/sh', '-c', command as string] : (command as string[]);
      const python = words[0] === 'python' && words[1] === '-c';
      const ran = await (python ? this.#python.run(words[2]!, this.screen) : program(words, ms));
      if (ran.timedOut)
        return json({ status: 'error', message: `Command timed out after ${String(timeout)} seconds` }, 500);
      return json({ status: 'success', output: ran.stdout, error: ran.stderr, returncode: ran.code });
    } catch (error) {
      return json({ status: 'error', message: String(error) }, 500);
    }
  }

  #children(folder: string): object[] {
    const below = [...this.files.keys()].filter((path) => path.startsWith(`${folder}/`));
    const names = new Set(below.map((path) => path.slice(folder.length + 1).split('/')[0]!));
    return [...names].map((name) =>
      this.files.has(`${folder}/${name}`) ? { type: 'file', name } : { type: 'directory', name, children: [] },
    );
  }
}
