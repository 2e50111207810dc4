import { join } from 'node:path';
import { env } from 'node:process';
import type { Page } from 'playwright-core';

/** Keeps a picture of the page in the folder GYRE_TEST_PICTURES, if that is set. */
export async function pictureOf(page: Page, name: string): Promise<void> {
  const { GYRE_TEST_PICTURES: pictures } = env;
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) });
}
