import { pageProgram } from './pageProgram.js';

/** A page's HTML, and a script in an isolated world that the page cannot reach. */
export interface PageSource {
  readonly html: string;
  /** Source of `(argument) => void`, called once the document is parsed. */
  readonly script?: string;
  /** Any JSON value. */
  readonly argument?: unknown;
  /** Seeds Math.random and crypto, separately for page and `script`. */
  readonly seed: number;
}

/** Intercepted by the tab. Faster than a `data:` URL, and of any length. */
export const documentUrl = 'http://page.gyre.invalid/';

export function documentResponse(html: string): Readonly<Record<string, unknown>> {
  const headers = {
    'Content-Type': 'text/html;charset=utf-8',
    'Cache-Control': 'no-store',
    // Without allow-same-origin the origin is opaque, so that storage does not persist.
    'Content-Security-Policy':
      'sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads allow-top-navigation',
  };
  return {
    responseCode: 200,
    responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body: Buffer.from(html).toString('base64'),
  };
}

export const failureName = '__gyreFailure';

export const firstFrameName = '__gyreFirstFrame';

/** Must precede the clock, which replaces requestAnimationFrame. */
export const firstFrameScript = `
globalThis.${firstFrameName} = false;
requestAnimationFrame(() => { globalThis.${firstFrameName} = true; });`;

/** Calls `script` once the document is parsed, and stores its exception. */
export function parsedScript({ script }: PageSource): string {
  if (script === undefined) return '';
  const program = pageProgram(new URL('./page/parsed.page.bundle', import.meta.url));
  return `(${program})({ script: ${script}, argument, failureName: ${JSON.stringify(failureName)} });`;
}
