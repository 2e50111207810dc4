import { stat } from 'node:fs/promises';
import { GyreError } from '@gyre/protocol';

/** MAX_ARG_STRLEN: one argument or variable, with NUL. */
const maxArgument = 2 ** 17;

/** Throws `bad_input` for what the kernel would reject. */
export function checkCommand(command: string, env: Readonly<Record<string, string>> = {}): void {
  check('command', command, 'write it to a file and run the file');
  for (const [name, value] of Object.entries(env)) {
    check('env', `${name}=${value}`, 'write it to a file');
    if (name === '' || name.includes('=')) {
      throw new GyreError('bad_input', `${JSON.stringify(name)} is not a valid variable name`, {
        field: 'env',
        fix: 'use names without =',
      });
    }
  }
}

function check(field: string, text: string, fix: string): void {
  if (text.includes('\0'))
    throw new GyreError('bad_input', `${field} contains a NUL character`, { field, fix: 'remove it' });
  const bytes = Buffer.byteLength(text) + 1;
  if (bytes > maxArgument)
    throw new GyreError('bad_input', `${field} has ${bytes} bytes; the limit is ${maxArgument}`, { field, fix });
}

export async function checkCwd(cwd: string): Promise<void> {
  const stats = await stat(cwd).catch(() => undefined);
  if (stats?.isDirectory()) return;
  throw new GyreError('bad_input', `there is no directory ${JSON.stringify(cwd)}`, {
    field: 'cwd',
    fix: 'create it first, or omit cwd to start in the home',
  });
}
