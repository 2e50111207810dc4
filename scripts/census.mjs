/**
 * Prints, for each package, its lines, files, exports, and the words in its comments.
 * `node scripts/census.mjs [--json]`; the package has to be built, since exports are read from its declarations.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.dirname(import.meta.dirname);

function sources(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Counts the words of every comment in a source text. */
function commentWords(text) {
  const scanner = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const seen = new Set();
  let words = 0;
  const count = (ranges) => {
    for (const { pos, end } of ranges ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      words += text.slice(pos, end).match(/[\p{L}\p{N}'’_.-]*\p{L}[\p{L}\p{N}'’_.-]*/gu)?.length ?? 0;
    }
  };
  const visit = (node) => {
    count(ts.getLeadingCommentRanges(text, node.getFullStart()));
    count(ts.getTrailingCommentRanges(text, node.getEnd()));
    for (const child of node.getChildren(scanner)) visit(child);
  };
  visit(scanner);
  return words;
}

function exportsOf(declarations) {
  if (!existsSync(declarations)) return 0;
  const program = ts.createProgram([declarations], { module: ts.ModuleKind.NodeNext, skipLibCheck: true });
  const checker = program.getTypeChecker();
  const file = checker.getSymbolAtLocation(program.getSourceFile(declarations));
  return file === undefined ? 0 : checker.getExportsOfModule(file).length;
}

const lineCount = (files) => files.reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0);

const rows = [];
for (const folder of [
  'protocol',
  'sandbox',
  'engine',
  'lake',
  'agent',
  'tasks',
  'reader',
  'training',
  'benchmarks',
  'openenv',
  'studio',
  'cli',
]) {
  const source = path.join(root, 'packages', folder, 'src');
  if (!existsSync(source)) continue;
  const files = sources(source);
  const isTest = (file) => /\.test\.ts$|[/\\]tests?[/\\]/.test(file);
  const code = files.filter((file) => !isTest(file));
  rows.push({
    package: folder,
    lines: lineCount(code),
    testLines: lineCount(files.filter(isTest)),
    files: code.length,
    rootFiles: code.filter((file) => path.dirname(file) === source).length,
    exports: exportsOf(path.join(root, 'packages', folder, 'dist', 'index.d.ts')),
    commentWords: files.reduce((sum, file) => sum + commentWords(readFileSync(file, 'utf8')), 0),
  });
}
const total = { package: 'total' };
for (const row of rows)
  for (const key of Object.keys(row)) if (key !== 'package') total[key] = (total[key] ?? 0) + row[key];
rows.push(total);
if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
else console.table(rows);
