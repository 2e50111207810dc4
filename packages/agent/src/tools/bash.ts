import { GyreError } from '@gyre/protocol';
import type { ShellConsole, ConsoleResult, SandboxSession, Shell } from '@gyre/sandbox';
import { maxResult, withNotes } from './result.js';
import { keysOf } from './typedKeys.js';

const defaultSeconds = 30;

/** In ms. */
const interruptMs = 5_000;

/** Silence that suggests a prompt, in ms. */
const promptMs = 2_000;

const name = 'agent';

export interface BashOptions {
  /** Types into the running command. Default: if it seems to wait for input. */
  readonly input?: boolean | undefined;
  /** Default 30. */
  readonly seconds?: number | undefined;
}

/**
 * Runs a command in the agent's console; returns its output with a status note. While it runs, an empty command waits
 * and keys such as `C-c` are pressed; a second `C-c` restarts the shell. Throws `bad_input` for invalid commands and
 * unexpected input.
 */
export async function executeBash(
  command: string,
  { shell }: Pick<SandboxSession, 'shell'>,
  { input, seconds = defaultSeconds }: BashOptions = {},
): Promise<string> {
  const console = await shell.console(name);
  const limits = { timeoutMs: seconds * 1_000, promptMs };
  const keys = input === false ? undefined : keysOf(command);
  const commands = keys === undefined && command.trim() !== '' && input !== true;
  const ended = !console.running && console.unread ? await console.wait(limits) : undefined;
  if (!console.running) {
    if (commands) {
      const done = await console.execute(command, { ...limits, maxOutput: maxResult });
      return ended === undefined
        ? describeResult(done)
        : `${describeResult(ended, 'from the previous command')}\n${describeResult(done)}`;
    }
    if (ended !== undefined) return describeResult(ended, ...(command.trim() === '' ? [] : ['it had already ended']));
    return withNotes('', 'nothing is running in the shell');
  }
  if (keys === 'ctrl c') return interrupt(console, shell);
  if (keys !== undefined) return describeResult(await console.press(keys, limits));
  if (command.trim() === '' && input !== true) return describeResult(await console.wait(limits));
  if (input !== true && (input === false || !(await console.asks()))) {
    throw new GyreError(
      'bad_input',
      'not executed: a command is still running in the shell and does not seem to wait for input',
      {
        field: 'command',
        fix: 'wait with an empty command, interrupt with C-c, or type into it with is_input true; end background commands with &',
      },
    );
  }
  return describeResult(await console.answer(command, limits), 'typed into the running command');
}

/** Restarts the shell after a previous failed ctrl-C. */
async function interrupt(console: ShellConsole, shell: Shell): Promise<string> {
  if (!console.resists) {
    const done = await console.interrupt({ timeoutMs: interruptMs, promptMs });
    return describeResult(done, ...(done.running ? ['a second C-c in a row also ends the shell'] : []));
  }
  const { cwd } = await console.wait({ timeoutMs: 0 });
  await console.close();
  // The directory may be gone.
  const opened = await shell.console(name, { cwd }).catch(() => undefined);
  if (opened === undefined) await shell.console(name);
  return withNotes(
    '',
    'the command and its shell were ended and shell variables are lost: the next command runs in a new shell',
  );
}

function describeResult(
  { fresh, truncated, running, exitCode, screen }: ConsoleResult,
  ...notes: readonly string[]
): string {
  const waits = screen.alternate ? 'still running, in full-screen mode' : 'still running, and seems to wait for input';
  const asks = screen.alternate || screen.cursor.column > 0;
  return withNotes(
    fresh.trimEnd(),
    ...(truncated ? ['lines in the middle are omitted'] : []),
    ...notes,
    ...(running
      ? [asks ? waits : 'still running']
      : exitCode === undefined
        ? ['the shell has ended']
        : [`exit code ${exitCode}`]),
  );
}
