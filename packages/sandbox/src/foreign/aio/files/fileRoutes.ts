import picomatch from 'picomatch';
import { binary, json, jsonFields, numberField, textField, uploadedFile } from '../../served/request.js';
import { quotedWords } from '../../../shell/shellWords.js';
import { Editor } from './editor.js';
import type { Listed, SessionPaths } from './paths.js';
import {
  done,
  invalid,
  missing,
  optionalText,
  optionalTexts,
  refuse,
  Unsuccessful,
  type Fields,
  type Routes,
} from '../route.js';

const deepest = 32;
const maxListed = 10_000;
const defaultResults = 1_000;

/** ripgrep's names. */
const typeGlobs: Readonly<Record<string, readonly string[]>> = {
  c: ['*.c', '*.h'],
  cpp: ['*.cpp', '*.cc', '*.cxx', '*.hpp', '*.hh', '*.h'],
  css: ['*.css', '*.scss'],
  go: ['*.go'],
  html: ['*.html', '*.htm'],
  java: ['*.java'],
  js: ['*.js', '*.jsx', '*.mjs', '*.cjs'],
  json: ['*.json'],
  md: ['*.md', '*.markdown'],
  py: ['*.py', '*.pyi'],
  rust: ['*.rs'],
  sh: ['*.sh', '*.bash'],
  ts: ['*.ts', '*.tsx', '*.mts', '*.cts'],
  txt: ['*.txt'],
  yaml: ['*.yaml', '*.yml'],
};

export function fileRoutes(paths: SessionPaths): Routes {
  const editor = new Editor(paths);

  return {
    'POST /v1/file/read': async (request) => {
      const fields = await jsonFields(request);
      const file = textField(fields, 'file');
      const text = await paths.text(file);
      const [first, last] = [numberField(fields, 'start_line'), numberField(fields, 'end_line')];
      const isWhole = first === undefined && last === undefined;
      const lines = () => text.split('\n').slice(first ?? 0, last);
      return done({ content: isWhole ? text : lines().join('\n'), file });
    },
    'POST /v1/file/write': async (request) => {
      const fields = await jsonFields(request);
      const file = textField(fields, 'file');
      const { content, encoding = 'utf-8' } = fields;
      if (typeof content !== 'string') return invalid('content', 'must be a string');
      if (!['utf-8', 'base64', 'raw'].includes(String(encoding)))
        return invalid('encoding', 'must be utf-8, base64 or raw');
      const ends = (name: string) => (fields[name] === true ? '\n' : '');
      const bytes =
        encoding === 'base64'
          ? Buffer.from(content, 'base64')
          : Buffer.from(ends('leading_newline') + content + ends('trailing_newline'));
      await paths.write(file, bytes, { append: fields.append === true });
      return done({ file, bytes_written: bytes.length });
    },
    'POST /v1/file/replace': async (request) => {
      const fields = await jsonFields(request);
      const [file, old] = [textField(fields, 'file'), textField(fields, 'old_str')];
      const parts = (await paths.text(file)).split(old);
      if (parts.length > 1) await paths.write(file, parts.join(optionalText(fields, 'new_str') ?? ''));
      return done({ file, replaced_count: parts.length - 1 });
    },
    'POST /v1/file/search': async (request) => {
      const fields = await jsonFields(request);
      const [file, regex] = [textField(fields, 'file'), textField(fields, 'regex')];
      if (!(await paths.exists(file))) throw new Unsuccessful(`${file} does not exist`);
      const results = await grep({ path: file, pattern: regex });
      const matches = results.map(({ line_content }) => line_content);
      return done({ file, matches, line_numbers: results.map(({ line_number }) => line_number - 1) });
    },
    'POST /v1/file/find': async (request) => {
      const fields = await jsonFields(request);
      const path = textField(fields, 'path');
      const matches = matcher([textField(fields, 'glob')]);
      const entries = (await paths.list(path, deepest)).filter(matches).slice(0, maxListed);
      return done({ path, files: entries.map((entry) => entry.path) });
    },
    'POST /v1/file/glob': async (request) => {
      const fields = await jsonFields(request);
      const [path, pattern] = [textField(fields, 'path'), textField(fields, 'pattern')];
      const [matches, excluded] = [matcher([pattern], fields), matcher(optionalTexts(fields, 'exclude') ?? [])];
      const listed = (await paths.list(path, deepest)).filter(
        (entry) => matches(entry) && !excluded(entry) && !(fields.files_only !== false && entry.isFolder),
      );
      const limit = numberField(fields, 'max_results') ?? defaultResults;
      const hasMetadata = fields.include_metadata === true;
      const files = sorted(listed, fields, 'path')
        .slice(0, limit)
        .map((entry) => ({
          path: entry.path,
          name: entry.name,
          is_directory: entry.isFolder,
          size: hasMetadata ? entry.size : null,
          modified_time: hasMetadata ? entry.modified.toISOString() : null,
        }));
      return done({ path, pattern, files, total_count: listed.length, truncated: listed.length > limit });
    },
    'POST /v1/file/grep': async (request) => {
      const fields = await jsonFields(request);
      const [path, pattern] = [textField(fields, 'path'), textField(fields, 'pattern')];
      if (fields.multiline === true) missing('search of patterns across lines', 'search for lines, or use the shell');
      if (!(await paths.exists(path))) throw new Unsuccessful(`${path} does not exist`);
      const type = optionalText(fields, 'type');
      const ofType = type === undefined ? [] : (typeGlobs[type] ?? refuse('type', Object.keys(typeGlobs).join(', ')));
      const results = await grep({
        path,
        pattern,
        include: [...(optionalTexts(fields, 'include') ?? []), ...ofType],
        exclude: optionalTexts(fields, 'exclude') ?? [],
        ignoreCase: fields.case_insensitive === true,
        fixed: fields.fixed_strings === true,
        before: numberField(fields, 'context_before') ?? 0,
        after: numberField(fields, 'context_after') ?? 0,
        recursive: fields.recursive !== false,
      });
      const offset = numberField(fields, 'offset') ?? 0;
      const limit = numberField(fields, 'max_results') ?? defaultResults;
      const matches = results.slice(offset, offset + limit);
      const counts = { match_count: results.length, files_matched: new Set(results.map(({ file }) => file)).size };
      return done({ path, pattern, matches, ...counts, truncated: results.length > offset + limit });
    },
    'POST /v1/file/upload': async (request) => {
      const { fields, file, name } = await uploadedFile(request);
      const path = fields.get('path') || `/tmp/${name.split('/').at(-1) || 'upload'}`;
      await paths.write(path, file);
      return done({ file_path: path, file_size: file.length, success: true });
    },
    'GET /v1/file/download': async ({ query = {} }) => {
      const path = query.path ?? '';
      if (path === '') return invalid('path', 'is required');
      try {
        return binary('application/octet-stream', await paths.read(path));
      } catch (error) {
        if (!(error instanceof Unsuccessful)) throw error;
        return json({ detail: error.message }, 404);
      }
    },
    'POST /v1/file/list': async (request) => {
      const fields = await jsonFields(request);
      const path = textField(fields, 'path');
      const depth = fields.recursive === true ? (numberField(fields, 'max_depth') ?? deepest) : 1;
      const types = optionalTexts(fields, 'file_types');
      const listed = (await paths.list(path, depth)).filter(({ name, below, isFolder }) => {
        if (fields.show_hidden !== true && `/${below}`.includes('/.')) return false;
        return types === undefined || (!isFolder && types.some((type) => name.endsWith(type)));
      });
      const files = sorted(listed, fields, 'name')
        .slice(0, maxListed)
        .map(({ name, path: place, isFolder, size, modified, mode }) => ({
          name,
          path: place,
          is_directory: isFolder,
          size: isFolder ? null : size,
          modified_time: modified.toISOString(),
          permissions: fields.include_permissions === true ? mode : null,
          extension: isFolder ? null : (/\.[^.]+$/.exec(name)?.[0] ?? null),
        }));
      const directory_count = files.filter((entry) => entry.is_directory).length;
      const counts = { total_count: files.length, directory_count, file_count: files.length - directory_count };
      return done({ path, files, ...counts });
    },
    'POST /v1/file/str_replace_editor': async (request) => done(await editor.edit(await jsonFields(request))),
  };

  async function grep({
    path,
    pattern,
    include = [],
    exclude = [],
    ignoreCase = false,
    fixed = false,
    before = 0,
    after = 0,
    recursive = true,
  }: GrepQuery): Promise<GrepMatch[]> {
    const flags = [
      recursive ? '-r' : '-s',
      ...['-n', '-I', '-H', '-Z', fixed ? '-F' : '-P'],
      ...(ignoreCase ? ['-i'] : []),
      ...[`-B${before}`, `-A${after}`],
      ...include.map((glob) => `--include=${glob}`),
      ...exclude.flatMap((glob) => [`--exclude=${glob}`, `--exclude-dir=${glob}`]),
    ];
    const command = quotedWords(['grep', ...flags, '-e', pattern, '--', paths.absolute(path)]);
    const ran = await paths.shell.run(command, { maxOutput: 2 ** 24, timeoutMs: 60_000 });
    if (ran.exitCode !== 0 && ran.exitCode !== 1 && ran.stdout === '') {
      throw new Unsuccessful(ran.timedOut ? 'the search took too long' : ran.stderr.trim());
    }
    return matchesIn(ran.stdout, before, after);
  }
}

interface GrepQuery {
  readonly path: string;
  readonly pattern: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly ignoreCase?: boolean;
  readonly fixed?: boolean;
  readonly before?: number;
  readonly after?: number;
  readonly recursive?: boolean;
}

interface GrepMatch {
  readonly file: string;
  readonly line_number: number;
  readonly line_content: string;
  readonly context_before: readonly string[];
  readonly context_after: readonly string[];
}

/** Parses `FILE NUL LINE:text`, with `-` for `:` in context lines. */
function matchesIn(output: string, before: number, after: number): GrepMatch[] {
  const files = new Map<string, Map<number, { readonly text: string; readonly isMatch: boolean }>>();
  for (const line of output.split('\n')) {
    const [, file, number, sign, text] = /^([^\0]*)\0(\d+)([:-])(.*)$/.exec(line) ?? [];
    if (file === undefined) continue;
    const lines = files.get(file) ?? new Map<number, { text: string; isMatch: boolean }>();
    files.set(file, lines.set(Number(number), { text: text!, isMatch: sign === ':' }));
  }
  return [...files].flatMap(([file, lines]) => {
    const between = (first: number, last: number) =>
      Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => lines.get(first + index)?.text).filter(
        (text) => text !== undefined,
      );
    return [...lines]
      .filter(([, { isMatch }]) => isMatch)
      .map(([number, { text }]) => ({
        file,
        line_number: number,
        line_content: text,
        context_before: between(number - before, number - 1),
        context_after: between(number + 1, number + after),
      }));
  });
}

/** Matches globs against the relative path, or the name if they have no slash. */
function matcher(globs: readonly string[], fields: Fields = {}): (entry: Listed) => boolean {
  const dot = fields.include_hidden === true;
  const tests = globs.map((glob) => {
    const test = picomatch(glob, { dot });
    return ({ below, name }: Listed) => test(glob.includes('/') ? below : name);
  });
  return (entry) => tests.some((test) => test(entry));
}

function sorted(listed: readonly Listed[], fields: Fields, defaultKey: string): Listed[] {
  const key = optionalText(fields, 'sort_by') ?? defaultKey;
  const orders: Readonly<Record<string, (a: Listed, b: Listed) => number>> = {
    path: (a, b) => (a.path < b.path ? -1 : 1),
    name: (a, b) => (a.name < b.name ? -1 : 1),
    size: (a, b) => a.size - b.size,
    modified: (a, b) => a.modified.getTime() - b.modified.getTime(),
    type: (a, b) => Number(b.isFolder) - Number(a.isFolder) || (a.name < b.name ? -1 : 1),
  };
  const order = orders[key] ?? refuse('sort_by', Object.keys(orders).join(', '));
  const ordered = [...listed].sort(order);
  return fields.sort_desc === true ? ordered.reverse() : ordered;
}
