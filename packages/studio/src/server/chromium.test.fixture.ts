import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { findBrowser } from '@gyre/sandbox';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

/** Starts a browser for the tests of a file. */
export function aBrowser(): { readonly get: () => Browser } {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: findBrowser().path, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());
  return { get: () => browser };
}

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Opens a page that fails the test with what its console reports. */
export async function openPage(
  browser: Browser,
  link: string,
  options: { readonly dark?: boolean; readonly width?: number } = {},
): Promise<Page> {
  const { dark = false, width = 1280 } = options;
  // The test reads the page by a script of its own.
  const context = await browser.newContext({
    ...{ colorScheme: dark ? 'dark' : 'light', viewport: { width, height: 860 }, bypassCSP: true },
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  onTestFinished(() => expect(faults).toEqual([]));
  await page.goto(link);
  return page;
}

export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
  );
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
}
