import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser } from '../index.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gyre-test-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function program(...path: string[]): string {
  const file = join(home, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  chmodSync(file, 0o755);
  return file;
}

describe('findBrowser', () => {
  it('takes GYRE_BROWSER before PATH before Playwright, whose newest it takes', () => {
    const old = program('.cache/ms-playwright/chromium_headless_shell-999/chrome-linux/headless_shell');
    expect(findBrowser({ HOME: home })).toEqual({ path: old, source: 'playwright' });
    const newest = program('.cache/ms-playwright/chromium_headless_shell-1200/linux64/chrome-headless-shell');
    expect(findBrowser({ HOME: home, PATH: '' })).toEqual({ path: newest, source: 'playwright' });
    const onPath = program('bin/chromium-headless-shell');
    expect(findBrowser({ HOME: home, PATH: join(home, 'bin') })).toEqual({ path: onPath, source: 'PATH' });
    const named = program('mine');
    expect(findBrowser({ HOME: home, PATH: join(home, 'bin'), GYRE_BROWSER: named }).source).toBe('GYRE_BROWSER');
  });

  it('says what to install', () => {
    expect(() => findBrowser({ HOME: home })).toThrow(
      expect.objectContaining({
        code: 'missing',
        detail: expect.objectContaining({ fix: expect.stringContaining('apt-get install') as string }) as object,
      }),
    );
    expect(() => findBrowser({ GYRE_BROWSER: join(home, 'no') })).toThrow(expect.objectContaining({ code: 'missing' }));
  });
});
