import { command } from '../command.js';
import { allChecks, checkStates, stateOf } from '../doctor/doctor.js';
import { path } from '../flags/flag.js';

const marks = { ready: '✓', optional: '○', missing: '✗' } as const;

export const doctor = command({
  description:
    'Prints each check as ready, optional (the rest works without it) or missing (gyre does not run). Exits with 1 if anything is missing.',
  examples: ['gyre doctor', 'gyre doctor --json'],
  flags: { directory: path('directory for runs', { default: 'runs' }) },
  async run({ directory }, { terminal }) {
    const checks = (await allChecks(directory)).map((check) => ({ ...check, state: stateOf(check) }));
    const width = Math.max(...checks.map((check) => check.name.length));
    const stateWidth = Math.max(...checkStates.map((state) => state.length));
    for (const { name, state, finding, fix } of checks) {
      terminal.print(`${marks[state]} ${state.padEnd(stateWidth)}  ${name.padEnd(width)}  ${finding}`);
      if (fix !== '') terminal.print(`  ${' '.repeat(stateWidth)}  ${' '.repeat(width)}  ${fix}`);
    }
    const missing = checks.filter((check) => !check.ok).map(({ name }) => name);
    terminal.print(missing.length === 0 ? 'nothing required is missing' : `missing: ${missing.join(', ')}`);
    const reports = checks.map(({ name, ok, state, finding, fix }) => ({ name, ok, state, found: finding, fix }));
    return { ok: missing.length === 0, result: { ok: missing.length === 0, checks: reports } };
  },
});
