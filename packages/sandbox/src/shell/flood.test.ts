import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { Shell } from './shell.js';

let enclosure: BareEnclosure;
let shell: Shell;

beforeEach(async () => {
  enclosure = await BareEnclosure.create();
  shell = new Shell(enclosure);
});
afterEach(async () => {
  await shell.close();
  await enclosure.close();
});

describe('a command that floods its output', () => {
  it('is kept as head and tail of 1 GB, in little memory', async () => {
    const before = process.memoryUsage().rss;
    let peak = 0;
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
    const result = await shell.run('echo first; yes 0123456789 | head -c 1G; echo last', { maxOutput: 1_000 });
    clearInterval(timer);
    expect(result).toMatchObject({ exitCode: 0, truncated: true });
    expect(result.stdout.startsWith('first\n0123456789\n')).toBe(true);
    expect(result.stdout.endsWith('last\n')).toBe(true);
    expect(result.leftOut.stdout).toBe(2 ** 30 + 11 - 1_000);
    expect(result.stdout).toContain(`[… ${result.leftOut.stdout} bytes left out …]`);
    expect(peak - before).toBeLessThan(200 * 2 ** 20);
  }, 30_000);
});
