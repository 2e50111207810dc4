import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/*
 * Completes the compiler's output. Bundles each `NAME.page.js` with its imports into `NAME.page.bundle`, a script that defines `page`;
 * copies programs in other languages; bundles the studio; writes the catalogue of families.
 */

const packages = fileURLToPath(new URL('../packages/', import.meta.url));
const modified = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const filesIn = (folder) => readdirSync(folder, { recursive: true }).map((file) => `${folder}${file}`);
const newestIn = (files) => Math.max(0, ...files.filter((file) => file.endsWith('.js')).map(modified));

for (const name of readdirSync(packages)) {
  const [src, dist] = [`${packages}${name}/src/`, `${packages}${name}/dist/`];
  if (modified(dist) === 0) continue;
  bundlePages(filesIn(dist));
  copyPrograms(src, dist);
}
await buildStudio();
await listFamilies();

function bundlePages(files) {
  const sources = files.filter((file) => file.endsWith('.page.js'));
  const bundles = sources.map((file) => file.replace(/js$/, 'bundle'));
  for (const stale of files) if (stale.endsWith('.page.bundle') && !bundles.includes(stale)) rmSync(stale);
  const newest = newestIn(files);
  for (const [index, source] of sources.entries()) {
    if (modified(bundles[index]) >= newest) continue;
    buildSync({
      entryPoints: [source],
      outfile: bundles[index],
      bundle: true,
      format: 'iife',
      globalName: 'page',
      minifySyntax: true,
      minifyWhitespace: true,
      target: 'chrome120',
      charset: 'utf8',
      logLevel: 'warning',
    });
  }
}

function copyPrograms(src, dist) {
  const programsIn = (folder) => filesIn(folder).filter((file) => /\.(?:py|sh|pl|txt)$/.test(file));
  const copies = programsIn(src).map((file) => dist + file.slice(src.length));
  for (const stale of programsIn(dist)) if (!copies.includes(stale)) rmSync(stale);
  for (const copy of copies) {
    const source = src + copy.slice(dist.length);
    if (modified(copy) >= modified(source)) continue;
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(source, copy);
  }
}

/** Bundles the studio's page into `dist/web`, with names by content, so that browsers may keep them. */
async function buildStudio() {
  const [web, dist] = [`${packages}studio/web/`, `${packages}studio/dist/`];
  const index = `${dist}web/index.html`;
  const sources = filesIn(web);
  if (modified(index) >= Math.max(newestIn(filesIn(dist)), ...sources.map(modified))) return;
  rmSync(`${dist}web`, { recursive: true, force: true });
  const { pointerStyle, tokens } = await import(`${dist}tokens.js`);
  const { outputFiles } = buildSync({
    entryPoints: [`${web}main.tsx`],
    outdir: `${dist}web`,
    entryNames: 'studio-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    // Pages that are imported lazily are files of their own.
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    minify: true,
    target: ['chrome120', 'firefox120', 'safari17.5'],
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  mkdirSync(`${dist}web`, { recursive: true });
  const scripts = outputFiles.filter(({ path }) => path.endsWith('.js'));
  for (const { path, contents } of scripts) writeFileSync(path, contents);
  // Nothing would load the styles of a lazy page: one file has them all.
  const styles = outputFiles.filter(({ path }) => path.endsWith('.css')).map(({ text }) => text);
  const style = [tokens, pointerStyle, ...styles].join('\n');
  const styleName = `studio-${createHash('sha256').update(style).digest('hex').slice(0, 8)}.css`;
  writeFileSync(`${dist}web/${styleName}`, style);
  const main = scripts.find(({ path }) => basename(path).startsWith('studio-'));
  const page = readFileSync(`${web}index.html`, 'utf8')
    .replace('STYLE', `/assets/${styleName}`)
    .replace('SCRIPT', `/assets/${basename(main.path)}`);
  writeFileSync(index, page);
}

/** Writes the output of `gyre tasks list`: creating tasks of all families takes seconds. */
async function listFamilies() {
  const [tasks, catalogue] = [`${packages}tasks/dist/`, `${packages}cli/dist/families/families.json`];
  if (modified(catalogue) >= newestIn(filesIn(tasks))) return;
  const { suites } = await import(`${tasks}index.js`);
  const { familyEntry } = await import(`${packages}cli/dist/families/familyList.js`);
  const entries = Object.entries(suites()).flatMap(([name, suite]) =>
    Object.values(suite).map((family) => familyEntry(family, name)),
  );
  writeFileSync(catalogue, JSON.stringify(entries));
}
