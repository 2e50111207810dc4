import { stat } from 'node:fs/promises';
import { GyreError } from '@gyre/protocol';

/** Throws `bad_input` where a program cannot be started in a directory of the host. */
export async function checkCwd(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory()) return;
  throw new GyreError('bad_input', `there is no directory ${JSON.stringify(cwd)}`, {
    field: 'cwd',
    fix: 'create it first, or leave cwd out to start in the home',
  });
}
