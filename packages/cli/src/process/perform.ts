import { GyreError } from '@gyre/protocol';
import type * as Sandbox from '@gyre/sandbox';
import { type Body, UsageError } from '../command.js';
import { killProcessGroup } from './descendants.js';
import type { ExitStatus } from '../main.js';
import type { Terminal } from '../terminal/terminal.js';

/** Time for an interrupted command to stop before its machines end; `endMs` later the process does. */
const graceMs = 700;
const endMs = 900;

/** Time for a collector to take the last spans. */
const flushMs = 800;

/** Time that open handles may keep the process. */
const lingerMs = 500;

/** npm forwards terminal signals: one ctrl-C arrives twice within this time. */
const duplicateSignalMs = 300;

let sandbox: typeof Sandbox | undefined;
let flushTraces: (() => Promise<void>) | undefined;

/** OpenTelemetry's SDK is loaded only if an endpoint is set. */
function isTraced(): boolean {
  const { OTEL_SDK_DISABLED, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = process.env;
  const isDisabled = OTEL_SDK_DISABLED?.toLowerCase() === 'true';
  return !isDisabled && Boolean(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

/**
 * Runs a command's body and prints its result or error. Ctrl-C, SIGTERM, SIGHUP and a closed stdout abort it; machines
 * and process then end within 2 s, unless the body extends that. A second signal ends the process at once.
 *
 * @param leases If false, the sandbox is not loaded.
 * @param drains If true, the body ends by itself after the first signal, however long its work takes, and succeeds.
 */
export async function perform(
  terminal: Terminal,
  body: Body,
  { leases = true, drains = false }: { readonly leases?: boolean; readonly drains?: boolean } = {},
): Promise<ExitStatus> {
  if (leases) sandbox ??= await import('@gyre/sandbox');
  if (isTraced()) flushTraces ??= (await import('./tracing.js')).startTracing();
  const interrupt = new AbortController();
  const { signal } = interrupt;
  const timers: NodeJS.Timeout[] = [];
  let firstAt = 0;
  let extraMs = 0;
  const stop = () => {
    interrupt.abort(new GyreError('bad_input', 'interrupted'));
    if (drains) return;
    timers.push(setTimeout(() => void sandbox?.endMachines(), graceMs + extraMs));
    timers.push(setTimeout(() => exitNow(interrupted(terminal)), graceMs + endMs + extraMs));
  };
  const onSignal = () => {
    if (signal.aborted) {
      if (performance.now() - firstAt > duplicateSignalMs) exitNow();
      return;
    }
    firstAt = performance.now();
    terminal.log(`${drains ? 'draining: work under way ends first' : 'stopping'}; ctrl-C again to kill`);
    stop();
  };
  const onClosed = ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' && !signal.aborted) stop();
  };
  const onUnsettled = () => {
    if (signal.aborted) exitNow(interrupted(terminal));
    process.exit(fail(terminal, new Error('the command ended without a result')));
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  process.on('beforeExit', onUnsettled);
  process.stdout.on('error', onClosed);
  const silence = sandbox?.onWeakness(({ message, fix }) => terminal.log(`warning: ${message} (${fix})`));
  try {
    const { result, ok, failure } = await body(terminal, signal, (ms) => (extraMs = ms));
    terminal.end();
    const weakness = sandbox?.hostWeakness()?.message;
    const reported = weakness === undefined ? result : { ...result, weakness };
    const isInterrupted = signal.aborted && !drains;
    if (failure !== undefined && !isInterrupted) return fail(terminal, failure, reported);
    terminal.result(reported);
    if (isInterrupted) return 130;
    return ok ? 0 : 1;
  } catch (error) {
    terminal.end();
    if (signal.aborted && !drains) return interrupted(terminal);
    return fail(terminal, error);
  } finally {
    await flushed();
    silence?.();
    for (const timer of timers) clearTimeout(timer);
    for (const name of names) process.off(name, onSignal);
    process.off('beforeExit', onUnsettled);
    process.stdout.off('error', onClosed);
  }
}

/** Sends the last spans: the process may end at once. */
async function flushed(): Promise<void> {
  if (flushTraces === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, flushMs)));
  await Promise.race([flushTraces().catch(() => undefined), late]);
  clearTimeout(timer);
}

export function endProcess(status: ExitStatus): void {
  const exit = () => (status === 130 ? exitNow() : process.exit(status));
  setTimeout(() => {
    setTimeout(exit, endMs);
    if (sandbox === undefined) exit();
    else void sandbox.endMachines().then(exit);
  }, lingerMs).unref();
}

/**
 * Ends this process at once with status 130. `process.exit` waits for threads of databases and models, or aborts; an
 * uncaught signal does neither.
 */
function exitNow(status: ExitStatus = 130): void {
  sandbox?.endMachinesNow();
  killProcessGroup();
  process.removeAllListeners('SIGINT');
  if (process.platform !== 'win32') process.kill(process.pid, 'SIGINT');
  process.exit(status);
}

function interrupted(terminal: Terminal): 130 {
  terminal.end();
  terminal.result({ error: { code: 'interrupted', message: 'interrupted' } });
  return 130;
}

/** Prints `error: message (field: fix)`, and with `--json` the partial results. `GYRE_DEBUG=1` adds the stack. */
export function fail(terminal: Terminal, error: unknown, done: Record<string, unknown> = {}): ExitStatus {
  const known = error instanceof GyreError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const { field, fix } = known?.detail ?? {};
  const hint = [field, fix].filter((part) => part !== undefined).join(': ');
  terminal.log(`error: ${message}${hint === '' ? '' : ` (${hint})`}`);
  if (process.env.GYRE_DEBUG && error instanceof Error) terminal.log(error.stack ?? '');
  else if (known === undefined) terminal.log('This is a bug in gyre. Set GYRE_DEBUG=1 to see the stack.');
  terminal.result({ ...done, error: { code: known?.code ?? 'bug', message, field, fix } });
  return error instanceof UsageError ? 2 : 1;
}
