import { GyreError } from '@gyre/protocol';
import { endMachinesNow, hostWeakness, onWeakness, endMachines } from '@gyre/sandbox';
import { Command as Commander, CommanderError } from 'commander';
import { readFileSync } from 'node:fs';
import { type Act, type Outcome, UsageError, usageError } from './command.js';
import { commands } from './commands/index.js';
import { killPartners } from './descendants.js';
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

/** After so long, in ms, what a command that was interrupted has under way is ended; after so much more, the command itself. */
const graceMs = 700;
const endMs = 900;

/** How long what a command has left open may keep the process, in ms, once its result was told. */
const lingerMs = 500;

/** npm passes on the signal that the terminal has sent to us as well: within so many ms one ctrl-C arrives twice. */
const onceMs = 300;

/**
 * Runs a command's body. Ctrl-C, SIGTERM and SIGHUP ask it to end, as a closed standard output does. What does not end by itself soon
 * loses its browsers and machines, and then the process ends, in 2 s at the most; a second signal ends it at once. An error becomes one
 * clear line.
 */
export async function perform(
  terminal: Terminal,
  body: (terminal: Terminal, signal: AbortSignal) => Promise<Outcome>,
): Promise<ExitStatus> {
  const interrupt = new AbortController();
  const { signal } = interrupt;
  const timers: NodeJS.Timeout[] = [];
  let firstAt = 0;
  const stop = () => {
    interrupt.abort(new GyreError('bad_input', 'interrupted'));
    timers.push(setTimeout(() => void endMachines(), graceMs));
    timers.push(setTimeout(() => leave(interrupted(terminal)), graceMs + endMs));
  };
  const onSignal = () => {
    if (signal.aborted) {
      if (performance.now() - firstAt > onceMs) leave();
      return;
    }
    firstAt = performance.now();
    terminal.log('stopping; ctrl-C again to kill');
    stop();
  };
  const onClosed = ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' && !signal.aborted) stop();
  };
  const onUnsettled = () => {
    if (signal.aborted) leave(interrupted(terminal));
    process.exit(fail(terminal, new Error('the command ended without a result: nothing was left to wait for')));
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  process.on('beforeExit', onUnsettled);
  process.stdout.on('error', onClosed);
  const silence = onWeakness(({ message, fix }) => terminal.log(`warning: ${message} (${fix})`));
  try {
    const { result, ok, failure } = await body(terminal, signal);
    terminal.end();
    const weakness = hostWeakness()?.message;
    const whole = weakness === undefined ? result : { ...result, weakness };
    if (failure !== undefined && !signal.aborted) return fail(terminal, failure, whole);
    terminal.result(whole);
    if (signal.aborted) return 130;
    return ok ? 0 : 1;
  } catch (error) {
    terminal.end();
    if (signal.aborted) return interrupted(terminal);
    return fail(terminal, error);
  } finally {
    silence();
    for (const timer of timers) clearTimeout(timer);
    for (const name of names) process.off(name, onSignal);
    process.off('beforeExit', onUnsettled);
    process.stdout.off('error', onClosed);
  }
}

/**
 * Lets this process end with a status. What still keeps it alive after a while belongs to nobody any more, and does not hold up whoever
 * waits for the command.
 */
export function end(status: ExitStatus): void {
  process.exitCode = status;
  const exit = () => (status === 130 ? leave() : process.exit(status));
  setTimeout(() => {
    setTimeout(exit, endMs);
    void endMachines().then(exit);
  }, lingerMs).unref();
}

/**
 * Ends this process at once, as a shell knows it: status 130. `process.exit` waits for threads of databases and models, which go on
 * for minutes, or ends them so that they abort the process; a signal that nobody catches does not.
 */
function leave(status: ExitStatus = 130): void {
  endMachinesNow();
  killPartners();
  process.removeAllListeners('SIGINT');
  if (process.platform !== 'win32') process.kill(process.pid, 'SIGINT');
  process.exit(status);
}

function interrupted(terminal: Terminal): 130 {
  terminal.end();
  terminal.result({ error: { code: 'interrupted', message: 'interrupted' } });
  return 130;
}

/** `error: message (field: fix)` on stderr, and as JSON where that was asked for, with what was done. `GYRE_DEBUG=1` adds the stack. */
function fail(terminal: Terminal, error: unknown, done: Record<string, unknown> = {}): ExitStatus {
  const known = error instanceof GyreError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const { field, fix } = known?.detail ?? {};
  const hint = [field, fix].filter((part) => part !== undefined).join(': ');
  terminal.log(`error: ${message}${hint === '' ? '' : ` (${hint})`}`);
  if (process.env.GYRE_DEBUG && error instanceof Error) terminal.log(error.stack ?? '');
  else if (known === undefined) terminal.log('This is a bug in gyre. GYRE_DEBUG=1 shows where it happened.');
  terminal.result({ ...done, error: { code: known?.code ?? 'bug', message, field, fix } });
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
