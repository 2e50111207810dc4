import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { buildSync } from 'esbuild';

/*
 * Bundles what runs in pages. Of each `NAME.page.js` that the compiler wrote for the tasks, `NAME.page.bundle` is a script that
 * defines `page`, with everything that it imports.
 */

const dist = new URL('../packages/tasks/dist/', import.meta.url).pathname;
const files = readdirSync(dist, { recursive: true }).map((file) => `${dist}${file}`);
const sources = files.filter((file) => file.endsWith('.page.js'));
const bundles = sources.map((file) => file.replace(/js$/, 'bundle'));

for (const stale of files) if (stale.endsWith('.page.bundle') && !bundles.includes(stale)) rmSync(stale);

const newest = Math.max(0, ...files.filter((file) => file.endsWith('.js')).map((file) => statSync(file).mtimeMs));
const isOld = (file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < newest;

for (const [index, source] of sources.entries()) {
  if (!isOld(bundles[index])) continue;
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

/* `gyre tasks list` prints a catalogue: to create tasks of all families takes seconds. */

const cli = new URL('../packages/cli/dist/families/', import.meta.url).pathname;
if (isOld(`${cli}families.json`)) {
  const { suites } = await import(`${dist}index.js`);
  const { familyEntry } = await import(`${cli}familyList.js`);
  const entries = Object.entries(suites()).flatMap(([name, suite]) =>
    Object.values(suite).map((family) => familyEntry(family, name)),
  );
  writeFileSync(`${cli}families.json`, JSON.stringify(entries));
}
