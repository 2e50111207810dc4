import { GyreError } from '@gyre/protocol';
import { Command as Commander, CommanderError } from 'commander';
import { readFileSync } from 'node:fs';
import { type Act, type Outcome, UsageError, usageError } from './command.js';
import { commands } from './commands/index.js';
import { Terminal } from './terminal.js';

/** Exit status: 0 done, 1 failed, 2 not understood, 130 ended by ctrl-C or because nobody reads its output any more. */
export type ExitStatus = 0 | 1 | 2 | 130;

/**
 * The command `gyre`.
 *
 * @param argv as `process.argv`: the program, the script, then the arguments.
 */
export async function main(argv: readonly string[]): Promise<ExitStatus> {
  let status: ExitStatus = 0;
  const act: Act = async (json, body) => {
    status = await perform(new Terminal(json), body);
  };
  const program = new Commander('gyre')
    .description('Train GUI agents that see only the screen.')
    .version(version(), '-V, --version')
    .addHelpText('after', '\nExample:\n  gyre doctor\n  gyre flywheel --minutes 10\n\nEvery command has --help.');
  for (const { commander } of commands) program.addCommand(commander(act));
  quieten(program);
  if (argv.length <= 2) {
    program.outputHelp();
    return 0;
  }
  try {
    await program.parseAsync([...argv]);
    return status;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const usage = usageError(error);
    if (usage !== undefined) return fail(new Terminal(argv.includes('--json')), usage);
    return error.exitCode === 0 ? 0 : 2;
  }
}

/** Runs a command's body: ctrl-C once asks it to end, as a closed standard output does; twice kills the process; an error becomes one clear line. */
async function perform(
  terminal: Terminal,
  body: (terminal: Terminal, signal: AbortSignal) => Promise<Outcome>,
): Promise<ExitStatus> {
  const interrupt = new AbortController();
  let firstAt = 0;
  const onSignal = () => {
    if (interrupt.signal.aborted) {
      // npm passes on the signal that the terminal has sent to us as well: one ctrl-C arrives twice.
      if (performance.now() - firstAt > 300) process.exit(130);
      return;
    }
    firstAt = performance.now();
    terminal.log('stopping; ctrl-C again to kill');
    interrupt.abort(new GyreError('bad_input', 'interrupted'));
  };
  const onClosed = ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') interrupt.abort(new GyreError('bad_input', 'interrupted'));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.stdout.on('error', onClosed);
  try {
    const { result, ok } = await body(terminal, interrupt.signal);
    terminal.end();
    terminal.result(result);
    if (interrupt.signal.aborted) return 130;
    return ok ? 0 : 1;
  } catch (error) {
    terminal.end();
    if (interrupt.signal.aborted) {
      terminal.result({ error: { code: 'interrupted', message: 'interrupted' } });
      return 130;
    }
    return fail(terminal, error);
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    process.stdout.off('error', onClosed);
  }
}

/** `error: message (field: fix)` on stderr, and as JSON where that was asked for. `GYRE_DEBUG=1` adds the stack. */
function fail(terminal: Terminal, error: unknown): ExitStatus {
  const known = error instanceof GyreError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const { field, fix } = known?.detail ?? {};
  const hint = [field, fix].filter((part) => part !== undefined).join(': ');
  terminal.log(`error: ${message}${hint === '' ? '' : ` (${hint})`}`);
  if (process.env['GYRE_DEBUG'] && error instanceof Error) terminal.log(error.stack ?? '');
  else if (known === undefined) terminal.log('This is a bug in gyre. GYRE_DEBUG=1 shows where it happened.');
  terminal.result({ error: { code: known?.code ?? 'bug', message, field, fix } });
  return error instanceof UsageError ? 2 : 1;
}

/** Errors are printed by us, and commander does not end the process. What remains on its stderr is the help of a group. */
function quieten(program: Commander): void {
  program.exitOverride().configureOutput({
    writeErr: (text) => {
      if (!text.startsWith('error:')) process.stderr.write(text);
    },
  });
  program.showSuggestionAfterError(true);
  for (const inner of program.commands) quieten(inner);
}

function version(): string {
  const json: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return (json as { version: string }).version;
}
