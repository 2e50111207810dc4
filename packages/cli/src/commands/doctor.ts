import { command } from '../command.js';
import { allChecks } from '../doctor.js';
import { path } from '../flag.js';

export const doctor = command({
  name: 'doctor',
  summary: 'what this machine can do, and what to install',
  examples: ['gyre doctor', 'gyre doctor --json'],
  flags: { directory: path('where runs would be written', { default: 'runs' }) },
  async run({ directory }, { terminal }) {
    const checks = await allChecks(directory);
    const width = Math.max(...checks.map((check) => check.name.length));
    for (const { name, ok, found, fix } of checks) {
      terminal.print(`${ok ? '✓' : '✗'} ${name.padEnd(width)}  ${found}`);
      if (fix !== '') terminal.print(`  ${' '.repeat(width)}  ${fix}`);
    }
    const ok = checks.every((check) => check.ok);
    return { ok, result: { ok, checks: checks.map(({ name, ok, found, fix }) => ({ name, ok, found, fix })) } };
  },
});
