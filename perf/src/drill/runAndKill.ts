import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** Kills a Node program (SIGKILL) some ms after its first output. */
export async function runAndKill(
  program: string,
  args: readonly string[],
  afterMs: number,
): Promise<{ readonly text: string; readonly errors: string }> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const written = { text: '', errors: '' };
  child.stdout.on('data', (data: Buffer) => (written.text += data.toString()));
  child.stderr.on('data', (data: Buffer) => (written.errors += data.toString()));
  try {
    await Promise.race([once(child.stdout, 'data'), closed]);
    await Promise.race([pause(afterMs), closed]);
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
  return written;
}
