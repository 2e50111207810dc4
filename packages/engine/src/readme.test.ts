import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../', import.meta.url));
const example = (page: string, language: string) =>
  new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(readFileSync(page, 'utf8'))![1]!;
const node = async (...args: string[]) => (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout;

describe('the documentation', () => {
  it('fits a line', async () => {
    const [, printed] = /\[(.*)\]/s.exec(await node('--input-type=module', '-e', example(`${folder}README.md`, 'ts')))!;
    const [a, b] = printed!.split(',').map(Number);
    expect(a).toBeCloseTo(2, 1);
    expect(b).toBeCloseTo(3, 1);
  });

  it('shows the example that learns to read digits in at most 40 lines', async () => {
    const digits = example(`${folder}../../docs/how-to/write-a-model.md`, 'js');
    expect(digits).toBe(readFileSync(`${folder}examples/digits.js`, 'utf8'));
    expect(digits.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    // A fifth of the lessons: guessing gets 200 right.
    const [right] = /\d+/.exec(await node('examples/digits.js', '100'))!;
    expect(Number(right)).toBeGreaterThan(1000);
  });
});
