import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { accessibilityXml } from './accessibilityXml.js';
import type { CompatFiles, CompatMachine, CompatNode, CompatRun, CompatWindow } from '../served/machine.js';
import { OsworldPython } from './python.js';
import {
  binary,
  formFields,
  json,
  jsonFields,
  numberField,
  plain,
  textField,
  type CompatAnswer,
  type CompatHandler,
  type CompatRequest,
} from '../served/request.js';
import { ShellFiles } from './shellFiles.js';
import { programText } from '../../shell/programText.js';
import { quotedWords, shellWords } from '../../shell/shellWords.js';

const defaultTimeout = 120;
const pythonTimeout = 30;

/** For an opened file to show a window. OSWorld's own server waits half an hour. */
const windowMs = 30_000;
const lookMs = 200;

const deepest = 32;
const maxEntries = 10_000;

const pieceBytes = 2 ** 23;
const maxFileBytes = 2 ** 28;

const downloadProgram = programText(new URL('./download.py', import.meta.url));
const downloadTimeout = 300;

/** Replies of these routes carry the screen's notices. */
const programRoutes: ReadonlySet<string> = new Set([
  '/execute',
  '/setup/execute',
  '/execute_with_verification',
  '/setup/execute_with_verification',
  '/run_python',
]);

type Fields = Readonly<Record<string, unknown>>;
type Route = (request: CompatRequest) => Promise<CompatAnswer> | CompatAnswer;

/**
 * Serves a session to clients of OSWorld's in-VM server (PythonController, SetupController). Answers 501 for missing
 * parts.
 */
export function osworldHandler(machine: CompatMachine): CompatHandler {
  const { desktop, shell, recorder, home = '/home/user', pythonPath } = machine;
  const elsewhere = shell && new ShellFiles(shell);
  const env = { ...desktop.env, ...(pythonPath !== undefined && { PYTHONPATH: pythonPath }) };
  const python = new OsworldPython(desktop, run);

  const routes: Readonly<Record<string, Route>> = {
    'GET /screenshot': async () => binary('image/png', (await desktop.observe()).png),
    'GET /platform': () => plain('Linux'),
    'HEAD /screenshot': () => binary('image/png', new Uint8Array()),
    'GET /cursor_position': async () => {
      const { xPx, yPx } = await python.position();
      return json([xPx, yPx]);
    },
    'GET /terminal': async () => {
      const programs = (await desktop.accessibility?.()) ?? [];
      const texts = programs.flatMap(({ tree }) => (tree === undefined ? [] : terminalsIn(tree)));
      return json({ output: texts.at(-1)?.trimEnd() ?? null, status: 'success' });
    },
    'GET /accessibility': async () => {
      const programs = await (desktop.accessibility?.bind(desktop) ?? missing('accessibility'))();
      return json({ AT: accessibilityXml(programs, desktop.size) });
    },
    'POST /screen_size': () => json({ width: desktop.size.width, height: desktop.size.height }),
    'POST /window_size': async (request) => {
      const name = formText(await formFields(request), 'app_class_name').toLowerCase();
      const match = (await windows()).find(({ program }) => program.toLowerCase() === name);
      if (match === undefined) return json({ error: `no window of ${name}` }, 404);
      const { width, height } = desktop.size;
      return json({ width: Math.round(match.box.width * width), height: Math.round(match.box.height * height) });
    },
    'POST /desktop_path': () => json({ desktop_path: `${home}/Desktop` }),
    'POST /list_directory': async (request) => {
      const path = textField(await jsonFields(request), 'path');
      const { files, name } = filesAt(path);
      const { entries } = await files.list(name, { depth: deepest, limit: maxEntries });
      return json({ directory_tree: treeOf(path, entries) });
    },
    'POST /file': async (request) => {
      const { files, name } = filesAt(formText(await formFields(request), 'file_path'));
      try {
        return binary('application/octet-stream', await wholeFile(files, name));
      } catch (error) {
        if (!isBadInput(error)) throw error;
        return json({ error: error.message }, 404);
      }
    },
    'POST /execute': execute,
    'POST /setup/execute': execute,
    'POST /execute_with_verification': verified,
    'POST /setup/execute_with_verification': verified,
    'POST /run_python': async (request) => {
      const code = textField(await jsonFields(request), 'code');
      const { exitCode = 1, stdout, stderr, timedOut } = await python.run('python3', code, pythonTimeout);
      if (timedOut) {
        const message = 'Execution timeout: Code took too long to execute';
        return json({ status: 'error', message, error: 'TimeoutExpired', need_more: false, output: null }, 500);
      }
      return json({
        status: exitCode === 0 ? 'success' : 'error',
        message: [stdout, stderr].filter((text) => text !== '').join('\n'),
        need_more: false,
        output: stdout,
        error: stderr,
        return_code: exitCode,
      });
    },
    'POST /run_bash_script': async (request) => {
      const fields = await jsonFields(request);
      const script = textField(fields, 'script');
      const timeout = numberField(fields, 'timeout') ?? 100;
      const cwd = typeof fields.working_dir === 'string' ? { cwd: expanded(fields.working_dir) } : {};
      // Replies have one output, with both streams interleaved.
      const ran = await run(`{\n${script}\n} 2>&1`, timeout, cwd);
      if (ran.timedOut) {
        const output = `Script execution timed out after ${timeout} seconds`;
        return json({ status: 'error', output, error: '', returncode: -1 }, 500);
      }
      const returncode = ran.exitCode ?? 1;
      return json({ status: returncode === 0 ? 'success' : 'error', output: ran.stdout, error: '', returncode });
    },
    'POST /setup/launch': async (request) => {
      const fields = await jsonFields(request);
      const words = fields.shell === true ? ['bash', '-lc', scriptOf(fields)] : wordsOf(fields);
      const launch = desktop.launch?.bind(desktop) ?? missing('launch');
      await launch(words[0]!, words.slice(1));
      return plain(`${words.join(' ')} launched successfully`);
    },
    'POST /setup/open_file': async (request) => {
      const path = textField(await jsonFields(request), 'path');
      const open = desktop.open?.bind(desktop) ?? missing('open');
      await open(expanded(path));
      const whole = path.split('/').at(-1)!;
      const name = whole.replace(/(?<=.)\.[^.]*$/, '');
      for (const begin = performance.now(); performance.now() - begin < windowMs; await pause(lookMs)) {
        const window = (await windows()).find(({ title }) => title.includes(name));
        if (window === undefined) continue;
        await desktop.activate?.(window);
        return plain('File opened and window activated successfully');
      }
      return plain(`Failed to find window for ${whole} within ${windowMs / 1_000} seconds.`, 500);
    },
    'POST /setup/activate_window': async (request) => {
      const window = await windowNamed(await jsonFields(request));
      if (window === undefined) return plain('Window not found', 404);
      await (desktop.activate?.bind(desktop) ?? missing('activate'))(window);
      return plain('Window activated successfully');
    },
    'POST /setup/close_window': async (request) => {
      const window = await windowNamed(await jsonFields(request));
      if (window === undefined) return plain('Window not found', 404);
      await (desktop.closeWindow?.bind(desktop) ?? missing('closeWindow'))(window);
      return plain('Window closed successfully.');
    },
    'POST /wallpaper': async () =>
      binary('image/png', await (desktop.wallpaper?.bind(desktop) ?? missing('wallpaper'))()),
    'POST /setup/change_wallpaper': async (request) => {
      const path = textField(await jsonFields(request), 'path');
      const setWallpaper = desktop.setWallpaper?.bind(desktop) ?? missing('wallpaper');
      const { files, name } = filesAt(path);
      let picture: Uint8Array;
      try {
        picture = await wholeFile(files, name);
      } catch (error) {
        if (!isBadInput(error)) throw error;
        return plain(`File not found: ${path}`, 404);
      }
      await setWallpaper(picture);
      return plain('Wallpaper changed successfully');
    },
    'POST /start_recording': async () => {
      await (recorder ?? missing('recorder')).start();
      return json({ status: 'success', message: 'Started recording.' });
    },
    'POST /end_recording': async () => binary('video/mp4', await (recorder ?? missing('recorder')).stop()),
    'POST /setup/download_file': async (request) => {
      const fields = await jsonFields(request);
      const [url, path] = [textField(fields, 'url'), expanded(textField(fields, 'path'))];
      const ran = await run(quotedWords(['python3', '-c', downloadProgram, url, path]), downloadTimeout);
      if (ran.exitCode !== 0) return plain(`Failed to download ${url}: ${reasonOf(ran)}`, 500);
      return plain('File downloaded successfully');
    },
    'POST /setup/upload': async (request) => {
      const fields = await formFields(request);
      const path = formText(fields, 'file_path');
      const data = fields.get('file_data');
      if (!(data instanceof Uint8Array)) return json({ error: 'file_path and file_data are required' }, 400);
      const { files, name } = filesAt(path);
      await files.write(name, data.subarray(0, pieceBytes), { folders: true });
      for (let offset = pieceBytes; offset < data.length; offset += pieceBytes)
        await files.write(name, data.subarray(offset, offset + pieceBytes), { mode: 'append' });
      return plain(`File Uploaded: ${data.length} bytes`);
    },
  };

  return async (request) => {
    const path = request.path.length > 1 ? request.path.replace(/\/$/, '') : request.path;
    const route = `${request.method.toUpperCase()} ${path}`;
    try {
      if (!Object.hasOwn(routes, route)) return json({ status: 'error', message: `there is no route ${route}` }, 404);
      const answer = await routes[route]!(request);
      return programRoutes.has(path) ? noticed(answer) : answer;
    } catch (error) {
      return failed(error, path);
    }
  };

  function noticed(answer: CompatAnswer): CompatAnswer {
    const notices = desktop.notices?.() ?? [];
    if (notices.length === 0) return answer;
    const fields = JSON.parse(Buffer.from(answer.body).toString()) as object;
    return json({ ...fields, notices }, answer.status);
  }

  async function execute(request: CompatRequest): Promise<CompatAnswer> {
    const ran = await command(await jsonFields(request));
    if (ran.timedOut) return json({ status: 'error', message: 'the command timed out' }, 500);
    return json(executed('success', ran));
  }

  async function verified(request: CompatRequest): Promise<CompatAnswer> {
    const fields = await jsonFields(request);
    const ran = await command(fields);
    if (ran.timedOut) return json({ status: 'error', message: 'the command timed out' }, 500);
    const conditions = fields.verification;
    if (typeof conditions !== 'object' || conditions === null || Object.keys(conditions).length === 0) {
      return json(executed('success', ran));
    }
    const longest = (numberField(fields, 'max_wait_time') ?? 10) * 1_000;
    const every = Math.max(0.05, numberField(fields, 'check_interval') ?? 1) * 1_000;
    const begin = performance.now();
    const waited = () => performance.now() - begin;
    for (; waited() < longest; await pause(every)) {
      if (!(await areMet(conditions as Fields))) continue;
      return json({ ...executed('success', ran), verification: 'passed', wait_time: waited() / 1_000 });
    }
    const answer = executed('verification_failed', ran);
    return json({ ...answer, verification: 'failed', wait_time: longest / 1_000 }, 500);
  }

  async function areMet(conditions: Fields): Promise<boolean> {
    const { window_exists: title, command_success: check } = conditions;
    if (typeof title === 'string') {
      const there = (await windows()).some((window) => window.title.toLowerCase().includes(title.toLowerCase()));
      if (!there) return false;
    }
    return typeof check !== 'string' || (await run(check, 5)).exitCode === 0;
  }

  async function command(fields: Fields): Promise<CompatRun> {
    const timeout = numberField(fields, 'timeout') ?? defaultTimeout;
    if (fields.shell === true) return run(scriptOf(fields), timeout);
    const words = wordsOf(fields);
    const [program, flag, code, ...rest] = words;
    const isPython = /^([^\0]*\/)?python(3(\.\d+)?)?$/.test(program!) && flag === '-c' && code !== undefined;
    if (isPython && rest.length === 0) return python.run(program!, code, timeout);
    return run(quotedWords(words.map(expanded)), timeout);
  }

  async function run(line: string, timeout: number, options: { cwd?: string } = {}): Promise<CompatRun> {
    return (shell ?? missing('shell')).run(line, { timeoutMs: timeout * 1_000, env, ...options });
  }

  function windows(): Promise<readonly CompatWindow[]> {
    return (desktop.windows?.bind(desktop) ?? missing('windows'))();
  }

  async function windowNamed(fields: Fields): Promise<CompatWindow | undefined> {
    const windowName = textField(fields, 'window_name');
    const nameOf = ({ program, title }: CompatWindow) => (fields.by_class === true ? program : title);
    const loose = (window: CompatWindow) => nameOf(window).toLowerCase().includes(windowName.toLowerCase());
    return (await windows()).find(fields.strict === true ? (window) => nameOf(window) === windowName : loose);
  }

  /** Uses `files` in the home, and shell programs elsewhere. */
  function filesAt(path: string): { files: CompatFiles; name: string } {
    const name = expanded(path);
    const isHome = !name.startsWith('/') || name === home || name.startsWith(`${home}/`);
    return { files: (isHome ? machine.files : elsewhere) ?? missing('files'), name };
  }

  function expanded(path: string): string {
    return path.replace(/^(~|\$HOME|\$\{HOME\})(?=\/|$)/, home);
  }
}

async function wholeFile(files: CompatFiles, path: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let offset = 0; offset < maxFileBytes; offset += pieceBytes) {
    const piece = await files.readBytes(path, { offset, length: pieceBytes });
    pieces.push(piece);
    if (piece.length !== pieceBytes) return Buffer.concat(pieces);
  }
  throw new GyreError('bad_input', `${path} has ${maxFileBytes} bytes or more`, {
    field: 'file_path',
    fix: 'use the shell to compress or split it',
  });
}

const reasonOf = ({ stderr }: CompatRun): string => stderr.trim().split('\n').at(-1) ?? '';

function terminalsIn({ role, text, children }: CompatNode): string[] {
  return [...(role === 'terminal' && text !== undefined ? [text] : []), ...children.flatMap(terminalsIn)];
}

function executed(status: string, { exitCode = 1, stdout, stderr }: CompatRun): object {
  return { status, output: stdout, error: stderr, returncode: exitCode };
}

function wordsOf(fields: Fields): readonly string[] {
  const { command } = fields;
  const words: unknown = typeof command === 'string' ? shellWords(command) : command;
  if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string')) return words;
  throw new GyreError('bad_input', 'the command is missing', { field: 'command', fix: 'use a list of strings' });
}

/** Treats elements after the script as its `$0`, `$1`, ..., as in Python. */
function scriptOf(fields: Fields): string {
  if (typeof fields.command === 'string') return textField(fields, 'command');
  const [script, ...rest] = wordsOf(fields);
  return rest.length === 0 ? script! : quotedWords(['bash', '-c', script!, ...rest]);
}

function formText(fields: ReadonlyMap<string, string | Uint8Array>, field: string): string {
  const value = fields.get(field);
  if (typeof value === 'string' && value !== '') return value;
  throw new GyreError('bad_input', `${field} is required`, { field, fix: 'send it in the form' });
}

interface TreeNode {
  readonly type: 'directory' | 'file';
  readonly name: string;
  readonly children?: TreeNode[];
}

/** @param entries folders precede their contents. */
function treeOf(root: string, entries: readonly { readonly path: string; readonly type: string }[]): TreeNode {
  const folders = new Map<string, TreeNode[]>();
  const top: TreeNode[] = [];
  for (const { path, type } of entries) {
    const [folder, name] = [path.split('/').slice(0, -1).join('/'), path.split('/').at(-1)!];
    const siblings = folders.get(folder) ?? top;
    if (type !== 'folder') siblings.push({ type: 'file', name });
    else {
      const children: TreeNode[] = [];
      folders.set(path, children);
      siblings.push({ type: 'directory', name, children });
    }
  }
  return { type: 'directory', name: root.replace(/\/+$/, '').split('/').at(-1)!, children: top };
}

function isBadInput(error: unknown): error is GyreError {
  return error instanceof GyreError && error.code === 'bad_input';
}

function missing(part: string): never {
  throw new GyreError('missing', `this session has no ${part}`, { field: part, fix: 'lease a session that has it' });
}

function failed(error: unknown, path: string): CompatAnswer {
  const code = error instanceof GyreError ? error.code : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const status = code === 'missing' ? 501 : code === 'bad_input' ? 400 : path === '/screenshot' ? 503 : 500;
  return json({ status: 'error', message, error: message }, status);
}
