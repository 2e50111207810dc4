import { GyreError } from '@gyre/protocol';
import type { ShellConsole, ConsoleResult, SandboxSession, Shell } from '@gyre/sandbox';
import { mostResult, noted } from './result.js';
import { keysOf } from './typedKeys.js';

/** Default wait before a command is reported as running. */
const usualSeconds = 30;

/** Time to end after an interrupt, in ms. */
const interruptMs = 5_000;

/** Silence after output that suggests a prompt, in ms. */
const promptMs = 2_000;

/** The console that all commands share. */
const name = 'agent';

export interface BashOptions {
  /** `true` types into the running command, `false` never. Default: if it seems to wait for input. */
  readonly input?: boolean | undefined;
  /** Seconds to wait. Default 30. */
  readonly seconds?: number | undefined;
}

/**
 * Runs a command in the agent's console; returns its output with a status note. While one is running, an empty command
 * waits and keys such as `C-c` are pressed; a second `C-c` in a row restarts the shell. Throws `bad_input` for an
 * invalid command, or one that the running program does not seem to wait for.
 */
export async function executeBash(
  command: string,
  { shell }: Pick<SandboxSession, 'shell'>,
  { input, seconds = usualSeconds }: BashOptions = {},
): Promise<string> {
  const console = await shell.console(name);
  const limits = { timeoutMs: seconds * 1_000, promptMs };
  const keys = input === false ? undefined : keysOf(command);
  const commands = keys === undefined && command.trim() !== '' && input !== true;
  const ended = !console.running && console.unread ? await console.wait(limits) : undefined;
  if (!console.running) {
    if (commands) {
      const done = await console.execute(command, { ...limits, maxOutput: mostResult });
      return ended === undefined ? told(done) : `${told(ended, 'of the command before')}\n${told(done)}`;
    }
    if (ended !== undefined) return told(ended, ...(command.trim() === '' ? [] : ['it had ended before']));
    return noted('', 'nothing runs in the shell');
  }
  if (keys === 'ctrl c') return interrupt(console, shell);
  if (keys !== undefined) return told(await console.press(keys, limits));
  if (command.trim() === '' && input !== true) return told(await console.wait(limits));
  if (input !== true && (input === false || !(await console.asks()))) {
    throw new GyreError(
      'bad_input',
      'it was not executed: a command still runs in the shell, and does not seem to ask for anything',
      {
        field: 'command',
        fix: 'wait with an empty command, interrupt with C-c, or type into it with is_input true; end what is to run on with &',
      },
    );
  }
  return told(await console.answer(command, limits), 'typed into the command that ran already');
}

/** Presses ctrl-C. After a previous failed one, restarts the shell. */
async function interrupt(console: ShellConsole, shell: Shell): Promise<string> {
  if (!console.resists) {
    const done = await console.interrupt({ timeoutMs: interruptMs, promptMs });
    return told(done, ...(done.running ? ['a second C-c in a row ends the shell as well'] : []));
  }
  const { cwd } = await console.wait({ timeoutMs: 0 });
  await console.close();
  // The directory may be gone.
  const opened = await shell.console(name, { cwd }).catch(() => undefined);
  if (opened === undefined) await shell.console(name);
  return noted('', 'it was ended with its shell, whose variables are lost: the next command runs in a new one');
}

/** Describes new output and the command's status. */
function told({ fresh, truncated, running, exitCode, screen }: ConsoleResult, ...notes: readonly string[]): string {
  const waits = screen.alternate
    ? 'it still runs, and shows a full screen'
    : 'it still runs, and seems to wait for input';
  const asks = screen.alternate || screen.cursor.column > 0;
  return noted(
    fresh.trimEnd(),
    ...(truncated ? ['lines in the middle are left out'] : []),
    ...notes,
    ...(running
      ? [asks ? waits : 'it still runs']
      : exitCode === undefined
        ? ['the shell has ended']
        : [`exit code ${exitCode}`]),
  );
}
