// `npm run test:benchmarks [NAME...]`: checks gyre against the official code of benchmarks, and prints a table. Needs a built checkout
// and `gyre bench prepare NAME`; mobilegym also MOBILEGYM, a clone. Takes minutes, and is no part of `npm test`.
import { miniwob } from './miniwob.mjs';
import { mobilegym } from './mobilegym.mjs';
import { osworld } from './osworld.mjs';

const checks = { miniwob, mobilegym, osworld };
/** Need a clone that the user names. */
const withClone = { mobilegym: process.env.MOBILEGYM };
const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; use ${Object.keys(checks).join(', ')}`);
  process.exit(2);
}

const playable = Object.keys(checks).filter((name) => !(name in withClone) || withClone[name] !== undefined);
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
    await checks[name](expectEqual);
  } catch (error) {
    console.log(`FAILED  ${name}: ${error.stack}`);
    results.push(false);
  }
  const failed = results.filter((passed) => !passed).length;
  rows.push([name, results.length - failed, failed, `${Math.round((performance.now() - began) / 1_000)} s`]);
}
console.log('\ncheck       passed  failed  time');
for (const [name, passed, failed, time] of rows)
  console.log(`${name.padEnd(12)}${String(passed).padStart(6)}${String(failed).padStart(8)}  ${time}`);
process.exitCode = rows.every(([, , failed]) => failed === 0) ? 0 : 1;
