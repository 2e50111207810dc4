import type { FileEdit } from '@gyre/protocol';
import type { Files, SandboxSession } from '@gyre/sandbox';
import { result } from './result.js';

/** Lines shown before and after what was changed. */
const around = 4;

/** Entries of a folder that are looked at, and how deep. */
const [mostEntries, depth] = [2_000, 2];

/** Shows or changes a file. Throws what the files throw: `bad_input` for what cannot be done, `storage` where nothing can be written. */
export async function editFile(call: FileEdit, { files }: Pick<SandboxSession, 'files'>): Promise<string> {
  switch (call.command) {
    case 'view':
      return view(files, call.path, call.lines);
    case 'create': {
      const { size } = await files.write(call.path, call.text, { mode: 'create', folders: true });
      return result('', `${call.path} was written: ${size} bytes`);
    }
    case 'str_replace': {
      const { line } = await files.edit(call.path, { replace: call.old, with: call.new ?? '' });
      return changed(files, call.path, line, call.new ?? '');
    }
    case 'insert': {
      const { line } = await files.edit(call.path, { insert: call.new, afterLine: call.afterLine });
      return changed(files, call.path, line, call.new);
    }
  }
}

async function view(files: Files, path: string, lines?: readonly [number, number]): Promise<string> {
  const { type } = await files.stat(path);
  if (type === 'folder') return folder(files, path);
  const [from, to = -1] = lines ?? [];
  const read = await files.read(path, { ...(from !== undefined && { from }), ...(to !== -1 && { to }) });
  if (read.binary) return result('', `no text: ${read.bytes} bytes`);
  const { total, from: first, to: last } = read.lines;
  if (total === 0) return result('', 'the file is empty');
  if (last < first) return result('', `the file has only ${total} lines`);
  return result(numbered(read.text, first), ...(last - first + 1 < total ? [`the file has ${total} lines`] : []));
}

async function folder(files: Files, path: string): Promise<string> {
  const { entries, truncated } = await files.list(path, { depth, limit: mostEntries });
  const shown = entries.filter((entry) => !entry.path.split('/').some((name) => name.startsWith('.')));
  const lines = shown.map((entry) => `${entry.path}${entry.type === 'folder' ? '/' : ''}`).sort();
  return result(lines.join('\n'), ...(truncated ? ['there is more'] : []), 'hidden files are not shown');
}

/** The lines that were changed, and some around them. */
async function changed(files: Files, path: string, line: number, text: string): Promise<string> {
  const from = Math.max(1, line - around);
  const read = await files.read(path, { from, to: line + text.split('\n').length - 1 + around });
  return result(read.binary ? '' : numbered(read.text, from), `${path} was changed at line ${line}`);
}

/** Lines with their numbers before them, as `cat -n` shows them. */
function numbered(text: string, from: number): string {
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.map((line, index) => `${String(from + index).padStart(6)}\t${line}`).join('\n');
}
