import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { GyreError } from '@gyre/protocol';

export interface Executable {
  readonly path: string;
  readonly source: 'GYRE_BROWSER' | 'PATH' | 'playwright';
}

const names = ['chromium-headless-shell', 'chrome-headless-shell', 'headless_shell'];
const install =
  'run `apt-get install chromium-headless-shell` (Debian) or `npx playwright-core install chromium-headless-shell`, or set GYRE_BROWSER to its path';

/**
 * Finds chromium-headless-shell: GYRE_BROWSER, then PATH, then Playwright's cache (newest first). Throws `missing`. No
 * other Chromium draws frames on demand.
 */
export function findBrowser(env: NodeJS.ProcessEnv = process.env): Executable {
  const named = env.GYRE_BROWSER;
  if (named !== undefined && named !== '') {
    if (runs(named)) return { path: named, source: 'GYRE_BROWSER' };
    throw new GyreError('missing', `GYRE_BROWSER is ${named}, which is not an executable file`, {
      field: 'GYRE_BROWSER',
      fix: install,
    });
  }
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    for (const name of names) {
      const path = join(folder, name);
      if (folder !== '' && runs(path)) return { path, source: 'PATH' };
    }
  }
  for (const path of playwrightBrowsers(env)) {
    if (runs(path)) return { path, source: 'playwright' };
  }
  throw new GyreError('missing', 'chromium-headless-shell is not installed', { field: 'browser', fix: install });
}

function playwrightBrowsers(env: NodeJS.ProcessEnv): string[] {
  const cache = env.PLAYWRIGHT_BROWSERS_PATH ?? join(env.HOME ?? '/', '.cache', 'ms-playwright');
  const prefix = 'chromium_headless_shell-';
  const revisions = entries(cache)
    .filter((entry) => entry.startsWith(prefix))
    .sort((a, b) => Number(b.slice(prefix.length)) - Number(a.slice(prefix.length)));
  return revisions.flatMap((revision) =>
    entries(join(cache, revision)).flatMap((platform) => names.map((name) => join(cache, revision, platform, name))),
  );
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
