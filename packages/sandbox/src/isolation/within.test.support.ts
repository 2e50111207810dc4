import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeIsolation, type Isolation } from './createEnclosure.js';
import type { CommandOptions, Enclosure } from './enclosure.js';

export const isolation: Isolation = await probeIsolation();

export const whyNot = isolation.kind === 'none' ? ` (left out: ${isolation.reason})` : '';

export function baseDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gyre-test-'));
  chmodSync(directory, 0o711);
  return join(directory, 'sessions');
}

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function run(
  enclosure: Enclosure,
  program: string,
  args: readonly string[] = [],
  options: CommandOptions = {},
): Promise<Ran> {
  const { file, args: argv, env, cwd } = enclosure.command(program, args, options);
  const child = spawn(file, argv, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...texts }));
  });
}

export async function shell(enclosure: Enclosure, script: string, options: CommandOptions = {}): Promise<string> {
  return (await run(enclosure, 'sh', ['-c', script], options)).stdout.trim();
}
