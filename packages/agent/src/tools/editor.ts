import { type FileEdit, GyreError } from '@gyre/protocol';
import type { Files, SandboxSession } from '@gyre/sandbox';
import { result } from './result.js';

const around = 4;

const [maxEntries, depth] = [2_000, 2];

/** Contents before each change, newest last; undefined for a new file. */
const changes = new WeakMap<Files, Map<string, (Uint8Array | undefined)[]>>();

const maxUndone = 20;

/** Throws `bad_input` for impossible edits, `storage` on write errors. */
export async function editFile(call: FileEdit, { files }: Pick<SandboxSession, 'files'>): Promise<string> {
  switch (call.command) {
    case 'view':
      return view(files, call.path, call.lines);
    case 'create': {
      const { size } = await files.write(call.path, call.text, { mode: 'create', folders: true });
      await remember(files, call.path, undefined);
      return result('', `${call.path} written: ${size} bytes`);
    }
    case 'str_replace': {
      const before = await files.readBytes(call.path);
      const { line } = await files.edit(call.path, { replace: call.old, with: call.new ?? '' });
      await remember(files, call.path, before);
      return changed(files, call.path, line, call.new ?? '');
    }
    case 'insert': {
      const before = await files.readBytes(call.path);
      const { line } = await files.edit(call.path, { insert: call.new, afterLine: call.afterLine });
      await remember(files, call.path, before);
      return changed(files, call.path, line, call.new);
    }
    case 'undo_edit': {
      const past = await pastOf(files, call.path);
      if (past.length === 0) {
        throw new GyreError('bad_input', `no change to ${call.path} can be undone`, {
          field: 'path',
          fix: 'use undo_edit only after create, str_replace or insert in this session',
        });
      }
      const before = past.at(-1);
      if (before === undefined) await files.remove(call.path);
      else await files.write(call.path, before);
      past.pop();
      return result(
        '',
        `the last change to ${call.path} was undone${before === undefined ? ': the file no longer exists' : ''}`,
      );
    }
  }
}

async function remember(files: Files, path: string, before: Uint8Array | undefined): Promise<void> {
  const past = await pastOf(files, path);
  past.push(before);
  if (past.length > maxUndone) past.shift();
}

/** Returns the history by canonical path. */
async function pastOf(files: Files, path: string): Promise<(Uint8Array | undefined)[]> {
  const histories = changes.get(files) ?? new Map<string, (Uint8Array | undefined)[]>();
  changes.set(files, histories);
  const name = (await files.stat(path)).path;
  const past = histories.get(name) ?? [];
  histories.set(name, past);
  return past;
}

async function view(files: Files, path: string, lines?: readonly [number, number]): Promise<string> {
  const { type } = await files.stat(path);
  if (type === 'folder') return folder(files, path);
  const [from, to = -1] = lines ?? [];
  const read = await files.read(path, { ...(from !== undefined && { from }), ...(to !== -1 && { to }) });
  if (read.binary) return result('', `binary file: ${read.bytes} bytes`);
  const { total, from: first, to: last } = read.lines;
  if (total === 0) return result('', 'the file is empty');
  if (last < first) return result('', `the file has only ${total} lines`);
  return result(numbered(read.text, first), ...(last - first + 1 < total ? [`the file has ${total} lines`] : []));
}

async function folder(files: Files, path: string): Promise<string> {
  const { entries, truncated } = await files.list(path, { depth, limit: maxEntries });
  const visible = entries.filter((entry) => !entry.path.split('/').some((name) => name.startsWith('.')));
  const lines = visible.map((entry) => `${entry.path}${entry.type === 'folder' ? '/' : ''}`).sort();
  return result(lines.join('\n'), ...(truncated ? ['more entries are omitted'] : []), 'hidden files are not shown');
}

async function changed(files: Files, path: string, line: number, text: string): Promise<string> {
  const from = Math.max(1, line - around);
  const read = await files.read(path, { from, to: line + text.split('\n').length - 1 + around });
  return result(read.binary ? '' : numbered(read.text, from), `${path} was changed at line ${line}`);
}

/** Numbers lines like `cat -n`. */
function numbered(text: string, from: number): string {
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.map((line, index) => `${String(from + index).padStart(6)}\t${line}`).join('\n');
}
