import { textField } from '../../served/request.js';
import type { SessionPaths } from './paths.js';
import { optionalText, refuse, Unsuccessful, type Fields } from '../route.js';

const maxUndone = 100;

interface Edited {
  readonly output: string;
  readonly error: string | null;
  readonly path: string;
  readonly prev_exist: boolean;
  readonly old_content: string | null;
  readonly new_content: string | null;
}

/** Anthropic's text editor tool. `error` reports the model's mistakes. */
export class Editor {
  readonly #paths: SessionPaths;
  readonly #earlier = new Map<string, (string | undefined)[]>();

  constructor(paths: SessionPaths) {
    this.#paths = paths;
  }

  async edit(fields: Fields): Promise<Edited> {
    const path = textField(fields, 'path');
    const exists = await this.#paths.exists(path);
    const seen = { path, prev_exist: exists, old_content: null, new_content: null };
    try {
      if (fields.command === 'view') return { ...seen, error: null, output: await this.#view(path, fields) };
      const old = exists ? await this.#paths.text(path) : undefined;
      const text = this.#changed(path, fields, old);
      await this.#paths.write(path, text);
      const verb = exists ? 'edited' : 'created';
      const contents = { old_content: old ?? null, new_content: text };
      return { ...seen, ...contents, error: null, output: `The file ${path} has been ${verb}.` };
    } catch (error) {
      if (!(error instanceof Unsuccessful)) throw error;
      return { ...seen, output: '', error: error.message };
    }
  }

  async #view(path: string, { view_range: range }: Fields): Promise<string> {
    if (await this.#paths.isFolder(path)) {
      const listed = await this.#paths.list(path, 2);
      const visible = listed.filter(({ below }) => !`/${below}`.includes('/.')).map((entry) => entry.path);
      return [path, ...visible.sort()].join('\n');
    }
    const lines = (await this.#paths.text(path)).replace(/\n$/, '').split('\n');
    const [first, last] = Array.isArray(range) && range.length === 2 ? (range as [number, number]) : [1, -1];
    const end = last === -1 ? lines.length : last;
    if (!(first >= 1 && end >= first && first <= lines.length)) {
      throw new Unsuccessful(`view_range [${first}, ${last}] is not within lines 1 to ${lines.length}`);
    }
    const numbered = lines.slice(first - 1, end).map((line, index) => `${String(first + index).padStart(6)}\t${line}`);
    return numbered.join('\n');
  }

  #changed(path: string, fields: Fields, old: string | undefined): string {
    const { command } = fields;
    const present = () => old ?? fail(`${path} does not exist`);
    if (command === 'undo_edit') {
      const earlier = this.#earlier.get(path) ?? [];
      if (earlier.length === 0) fail(`there is no edit of ${path} to undo`);
      return earlier.pop() ?? '';
    }
    const text = (() => {
      switch (command) {
        case 'create':
          return optionalText(fields, 'file_text') ?? fail('create needs file_text');
        case 'str_replace':
          return replaced(present(), fields);
        case 'insert':
          return inserted(present(), fields);
        default:
          return refuse('command', 'use view, create, str_replace, insert or undo_edit');
      }
    })();
    const earlier = this.#earlier.get(path) ?? [];
    this.#earlier.set(path, [...earlier, old].slice(-maxUndone));
    return text;
  }
}

function replaced(text: string, fields: Fields): string {
  const old = optionalText(fields, 'old_str') || fail('str_replace needs old_str');
  const replacement = optionalText(fields, 'new_str') ?? '';
  const [first, count] = [text.indexOf(old), text.split(old).length - 1];
  if (count === 0) fail('old_str does not occur in the file');
  const replacedAt = (index: number) => text.slice(0, index) + replacement + text.slice(index + old.length);
  switch (fields.replace_mode) {
    case 'ALL':
      return text.split(old).join(replacement);
    case 'FIRST':
      return replacedAt(first);
    case 'LAST':
      return replacedAt(text.lastIndexOf(old));
    default:
      return count === 1
        ? replacedAt(first)
        : fail(`old_str occurs ${count} times: make it unique, or set replace_mode`);
  }
}

function inserted(text: string, fields: Fields): string {
  const lines = text.split('\n');
  const last = text.endsWith('\n') ? lines.length - 1 : lines.length;
  const line = fields.insert_line;
  if (typeof line !== 'number' || !Number.isInteger(line) || line < 0 || line > last) {
    return fail(`insert_line must be from 0 to ${last}`);
  }
  const added = (optionalText(fields, 'new_str') ?? fail('insert needs new_str')).split('\n');
  return [...lines.slice(0, line), ...added, ...lines.slice(line)].join('\n');
}

function fail(message: string): never {
  throw new Unsuccessful(message);
}
