import type { SandboxSession } from '@gyre/sandbox';
import { mostResult, noted } from './result.js';

/** How long a command may take before its result says that it still runs. */
const timeoutMs = 30_000;

/** The console that an agent's commands share. */
const console = 'agent';

/** What a command has written by its end, or by now, and how it ended. Throws `bad_input` for one that cannot be executed. */
export async function executeBash(command: string, { shell }: Pick<SandboxSession, 'shell'>): Promise<string> {
  const done = await shell.execute(command, { console, maxOutput: mostResult, timeoutMs });
  const { output, truncated, running, exitCode } = done;
  const notes = [
    ...(truncated ? ['lines in the middle are left out'] : []),
    ...(running ? ['it still runs'] : exitCode === undefined ? ['the shell has ended'] : [`exit code ${exitCode}`]),
  ];
  return noted(output.trimEnd(), ...notes);
}
