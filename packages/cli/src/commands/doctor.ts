import { command, UsageError } from '../command.js';
import { allChecks, type Check, checkStates, stateOf } from '../doctor/doctor.js';
import type { ServerOptions } from '../doctor/servers/serverChecks.js';
import { headed, path } from '../flags/flag.js';
import { serverFlags } from '../flags/serverFlags.js';

const marks = { ready: '✓', optional: '○', missing: '✗' } as const;

/** Loads the engine late: the other checks report an ONNX runtime that does not load. */
async function checkServers(options: ServerOptions): Promise<Check[]> {
  const { serverChecks } = await import('../doctor/servers/serverChecks.js');
  return serverChecks(options);
}

const servers = headed(
  'Check servers instead of this machine:',
  serverFlags({
    engine: "Tinker server: trains a LoRA model for a few steps, and unloads it; TINKER_API_KEY is the server's key",
    sampler: "vLLM that samples; with --engine, compares both by tokens and pictures; OPENAI_API_KEY is vLLM's key",
    model: 'base model that the servers name (default: the only one)',
  }),
);

export const doctor = command({
  description:
    'Prints each check as ready, optional (the rest works without it) or missing (gyre does not run). Exits with 1 if anything is missing.',
  examples: [
    'gyre doctor',
    'gyre doctor --json',
    'gyre doctor --engine http://127.0.0.1:8000 --sampler http://127.0.0.1:8001/v1',
  ],
  flags: { directory: path('directory for runs', { default: 'runs' }), ...servers },
  async run({ directory, engine, sampler, model }, { terminal, signal }) {
    if (model !== undefined && engine === undefined && sampler === undefined) {
      throw new UsageError('--model names the model of a server', {
        field: '--model',
        fix: 'add --engine URL or --sampler URL',
      });
    }
    const { TINKER_API_KEY: engineKey, OPENAI_API_KEY: samplerKey } = process.env;
    const options = { engine, sampler, model, engineKey, samplerKey, signal };
    const findings =
      engine === undefined && sampler === undefined ? await allChecks(directory) : await checkServers(options);
    const checks = findings.map((check) => ({ ...check, state: stateOf(check) }));
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
