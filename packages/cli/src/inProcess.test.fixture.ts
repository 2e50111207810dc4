import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { main } from './main.js';

export const bin = fileURLToPath(new URL('../bin/gyre.mjs', import.meta.url));

export async function inProcess(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  try {
    return { status: await main([process.execPath, bin, ...args]), ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

export const lastJson = (stdout: string): unknown => JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
