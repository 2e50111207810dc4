// `npm run test:benchmarks -- [NAME...] [--CLONE DIR...]`: checks gyre against the official code of benchmarks, and prints a table. Needs a
// built checkout, `gyre bench prepare NAME` and the clones that checks name; without names, checks whose clones are missing are left out.
// Takes minutes, and is no part of `npm test`.
import { parseArgs } from 'node:util';
import { androidworld } from './androidworld.mjs';
import { browsecomp } from './browsecomp.mjs';
import { cube } from './cube.mjs';
import { harbor } from './harbor.mjs';
import { images } from './images.mjs';
import { lmgame } from './lmgame.mjs';
import { mind2web } from './mind2web.mjs';
import { miniwob } from './miniwob.mjs';
import { mobilegym } from './mobilegym.mjs';
import { osworld, osworldProviders } from './osworld.mjs';
import { screenspot } from './screenspot.mjs';
import { swebench } from './swebench.mjs';
import { webarena } from './webarena.mjs';
import { windowsagentarena } from './windowsagentarena.mjs';

const checks = {
  miniwob,
  mobilegym,
  osworld,
  'osworld-providers': osworldProviders,
  windowsagentarena,
  androidworld,
  harbor,
  images,
  lmgame,
  browsecomp,
  mind2web,
  screenspot,
  swebench,
  webarena,
  cube,
};
/** Flags that name clones, by check. */
const clones = {
  mobilegym: ['mobilegym'],
  windowsagentarena: ['windowsagentarena'],
  androidworld: ['androidworld'],
  lmgame: ['lmgame'],
  browsecomp: ['simple-evals', 'browsecomp-zh'],
  mind2web: ['online-mind2web'],
  screenspot: ['screenspot-pro'],
  swebench: ['flask', 'swebench-roots'],
};
/** Adds the sweep over OSWorld's own tasks to its check. */
const optional = ['osworld'];
const flags = [...Object.values(clones).flat(), ...optional];
const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries(flags.map((flag) => [flag, { type: 'string' }])),
});
const lacking = (name) => (clones[name] ?? []).filter((flag) => values[flag] === undefined);
const unknown = names.filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; use ${Object.keys(checks).join(', ')}`);
  process.exit(2);
}

for (const name of names) {
  if (lacking(name).length === 0) continue;
  console.error(
    `${name} needs ${lacking(name)
      .map((flag) => `--${flag} DIR`)
      .join(' and ')}`,
  );
  process.exit(2);
}

const playable = Object.keys(checks).filter((name) => lacking(name).length === 0);
const rows = [];
for (const name of names.length > 0 ? names : playable) {
  const began = performance.now();
  const results = [];
  /** Records one comparison. */
  const expectEqual = (title, actual, expected) => {
    const passed = JSON.stringify(actual) === JSON.stringify(expected);
    results.push(passed);
    const difference = passed ? '' : `: ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`;
    console.log(`${passed ? 'passed' : 'FAILED'}  ${name}: ${title}${difference}`);
  };
  try {
    await checks[name](expectEqual, values);
  } catch (error) {
    console.log(`FAILED  ${name}: ${error.stack}`);
    results.push(false);
  }
  const failed = results.filter((passed) => !passed).length;
  rows.push([name, results.length - failed, failed, `${Math.round((performance.now() - began) / 1_000)} s`]);
}
console.log('\ncheck               passed  failed  time');
for (const [name, passed, failed, time] of rows)
  console.log(`${name.padEnd(20)}${String(passed).padStart(6)}${String(failed).padStart(8)}  ${time}`);
process.exitCode = rows.every(([, , failed]) => failed === 0) ? 0 : 1;
